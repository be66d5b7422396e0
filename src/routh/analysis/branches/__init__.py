"""Equilibria followed along a parameter."""
