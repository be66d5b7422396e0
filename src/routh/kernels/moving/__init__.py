"""Motions: laws put in, the saddle point, runs by CVODES."""
