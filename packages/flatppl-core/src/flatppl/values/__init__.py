"""Symbolic values: what bindings elaborate to."""
