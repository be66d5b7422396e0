"""What is compiled for this machine, as far as other rooms call it: a thread a point, on all cores.

Points that take a closer look are told, and left to who asked.
"""

from __future__ import annotations

from routh.kernels.native.compiler import compiler
from routh.kernels.native.eigenvalues import eigenvalues, in_c
from routh.kernels.native.gpu import devices

__all__ = ["compiler", "devices", "eigenvalues", "in_c"]
