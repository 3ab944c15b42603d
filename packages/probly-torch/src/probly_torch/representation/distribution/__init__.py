"""Distributions over Torch tensors."""
