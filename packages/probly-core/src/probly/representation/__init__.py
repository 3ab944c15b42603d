"""Representations with protected axes: distributions, samples, conformal and credal sets."""
