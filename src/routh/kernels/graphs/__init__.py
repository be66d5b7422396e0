"""Expressions as CasADi graphs, their derivatives, and functions of stacks of arrays."""
