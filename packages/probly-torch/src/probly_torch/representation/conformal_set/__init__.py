"""Conformal sets over Torch tensors."""
