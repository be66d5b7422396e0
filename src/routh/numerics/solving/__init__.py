"""Roots of equations: Newton's method, nearest points, and proofs of all of them."""
