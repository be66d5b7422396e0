"""What machines evaluate: compiled derivatives of the energies."""
