"""What notebooks show of each result: tables, formulas and small pictures."""
