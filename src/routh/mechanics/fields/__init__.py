"""Systems with fields: partial equations, conditions at ends, second variation."""
