"""Robots in URDF: trees of rigid bodies, read from XML as energies."""
