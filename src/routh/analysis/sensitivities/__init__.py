"""How rests, modes and answers change with parameters: derivatives, exact to rounding."""
