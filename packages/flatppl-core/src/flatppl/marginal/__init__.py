"""Integrals over draws that nobody observes, as analyses of a finished density program."""
