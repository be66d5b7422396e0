"""Models that are built from the language: tethers and kites.

Each function gives `Parts` of a system: energies, forces and constraints that are added to others.
"""

from routh.models import kite as kite
from routh.models import tether as tether
from routh.models.parts import Parts as Parts

__all__ = ["Parts", "kite", "tether"]
