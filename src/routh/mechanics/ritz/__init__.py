"""Fields become coordinates: bases, quadrature, `discretize`."""
