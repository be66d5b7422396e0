"""Forms of expressions: unique ones, short ones, within a budget of work."""
