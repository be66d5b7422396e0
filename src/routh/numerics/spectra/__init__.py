"""Eigenvalues of `M s^2 + C s + K`: all, the lowest, with bounds of their errors."""
