"""Modes, and the verdict with its reason."""
