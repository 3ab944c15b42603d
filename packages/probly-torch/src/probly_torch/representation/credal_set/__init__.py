"""Credal sets over Torch tensors."""
