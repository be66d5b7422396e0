"""Control of a linear model: what is reached and seen, regulators, their laws, observers."""
