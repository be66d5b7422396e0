"""Linear systems x' = A x + B u in matrices: what is reached, Riccati equations, balancing."""
