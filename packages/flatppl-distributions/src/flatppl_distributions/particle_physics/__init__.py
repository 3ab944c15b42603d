"""The standard module ``particle-physics``."""
