"""The JAX backend of probly. Users import from ``probly``, whose modules forward to the same objects here."""
