"""The verbs: from a system and its values to equilibria, linear models, modes and verdicts."""
