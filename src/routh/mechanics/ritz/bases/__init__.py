"""Functions of which fields are made: one basis a file."""
