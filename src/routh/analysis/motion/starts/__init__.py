"""States to start from: on the constraints, or moved onto them."""
