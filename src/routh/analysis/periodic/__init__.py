"""Motions that repeat: shooting, multipliers, families."""
