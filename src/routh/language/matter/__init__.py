"""Rigid matter: integrals over lines, areas and volumes, worked out, and the bodies they describe."""
