"""FlatPPL's JAX backend: a tensor program becomes a JAX callable."""
