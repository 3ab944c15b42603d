"""The NumPy backend; it comes through the same door as strangers."""
