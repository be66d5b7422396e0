"""Fields: densities, integration by parts, conditions at ends, the second variation."""
