"""The page where a model is written, moved and understood: a server here, and its workers."""
