"""Compiled functions looked at instruction by instruction: in balls, in digits, by size; counted."""
