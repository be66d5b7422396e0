"""Curves of solutions, and what happens on them."""
