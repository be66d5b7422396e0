"""What people read, derived symbolically and exactly."""
