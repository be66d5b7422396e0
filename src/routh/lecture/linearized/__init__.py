"""Equilibria, linear models and the conditions of their stability."""
