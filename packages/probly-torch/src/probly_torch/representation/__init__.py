"""Representations over Torch tensors."""
