"""Tensors with trailing axes that belong to the object."""
