"""Figures and animations."""
