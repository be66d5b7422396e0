"""The letters before messages that workers send, which say what they are without being read."""

FINAL = b"f"
"""The end of an ask."""

ON_THE_WAY = b"w"
"""A part of an answer, or how far it is."""

LAST_WORDS = b"e"
"""The end of an ask, and of the worker."""
