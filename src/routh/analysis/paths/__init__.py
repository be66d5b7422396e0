"""Paths from one place to another: the motions among them, and the action along each."""
