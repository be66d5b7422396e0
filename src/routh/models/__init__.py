"""Models built from the language: rigid bodies, tethers, winches, kites, chains of rigid links.

Functions of `rigid` give a `Body`, those that end motions events, and the others `Parts` of a system:
energies, forces and constraints that are added to others.
"""

from routh.models import kite as kite
from routh.models import rigid as rigid
from routh.models import tether as tether
from routh.models import winch as winch
from routh.models.chains import Chain as Chain
from routh.models.chains import Link as Link
from routh.models.chains import chain as chain
from routh.models.joints import Joint as Joint
from routh.models.joints import dh as dh
from routh.models.parts import Parts as Parts

__all__ = ["Chain", "Joint", "Link", "Parts", "chain", "dh", "kite", "rigid", "tether", "winch"]
