"""Functional Mock-up Units: a model with its description, its sources and a binary in one file."""
