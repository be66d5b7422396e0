"""Every equilibrium in a box, and the proof that there are no others."""
