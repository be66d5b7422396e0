"""What a person writes: symbols, expressions of them, and the system they make up."""
