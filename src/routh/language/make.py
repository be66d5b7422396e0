"""What a system is made of: decided once, where it is made, and by this each verb takes its way.

A verb that has ways of its own for some makes asks for them at its door; what belongs to fields,
friction or sparse matrices alone is not called on the plain way.
"""

from __future__ import annotations

from enum import Enum, unique

MANY = 500
"""Coordinates of a discretized system beyond which its matrices are sparse: dense ones take longer."""


@unique
class Make(Enum):
    """The kinds of systems that verbs tell apart."""

    COORDINATES = "coordinates"
    FRICTION = "coordinates, with contacts that stick or slip"
    FIELDS = "fields, and perhaps coordinates"
    DISCRETIZED = "fields that are made of coordinates"
    SPARSE = "fields that are made of very many coordinates"
