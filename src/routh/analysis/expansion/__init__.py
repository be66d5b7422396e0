"""Beyond the linear model: parts of higher order, normal forms."""
