"""The same functions written out as C: compiled once, kept on disk, a thread a point on every core."""
