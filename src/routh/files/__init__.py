"""Model files: text in, a system with its numbers out, and back."""
