"""Rounding: quantization regions, a rounding set, encoding."""
