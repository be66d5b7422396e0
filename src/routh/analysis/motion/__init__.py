"""How a system moves from a start."""
