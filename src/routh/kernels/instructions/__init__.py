"""Compiled graphs walked instruction by instruction: in balls, in digits, by size."""
