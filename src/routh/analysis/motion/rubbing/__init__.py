"""Contacts along a motion: what agrees with the forces, what ends a phase, and the way through."""
