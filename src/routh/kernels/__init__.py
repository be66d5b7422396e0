"""What machines evaluate: compiled derivatives of the energies. CasADi is known here alone."""
