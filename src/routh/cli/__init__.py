"""The command `routh`."""
