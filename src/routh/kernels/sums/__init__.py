"""Discretized systems as sums of small engines over points."""
