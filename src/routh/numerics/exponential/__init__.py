"""Steps that carry linear oscillations exactly, so that their length follows the rest."""
