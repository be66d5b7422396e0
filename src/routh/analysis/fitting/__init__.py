"""What measurements say of a system: parameters and starts, and how well they are known."""
