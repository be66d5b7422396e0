"""Motions in space: shapes of bodies, what hides what, pages that are turned by hand, films."""
