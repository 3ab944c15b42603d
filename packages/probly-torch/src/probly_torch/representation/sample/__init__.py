"""Samples over Torch tensors."""
