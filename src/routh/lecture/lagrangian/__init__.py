"""Lagrange's equations of coordinates: positions, energies, virtual work, constraints."""
