"""Every step of what Routh computes, as a lecturer would write it."""
