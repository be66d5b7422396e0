"""The elementary functions and pi, which are SymPy's own: write `routh.sin` or `sympy.sin`."""

# ruff: noqa: PLC0414  # `as` says that a name is handed on

from sympy import acos as acos
from sympy import asin as asin
from sympy import atan as atan
from sympy import atan2 as atan2
from sympy import cos as cos
from sympy import cosh as cosh
from sympy import exp as exp
from sympy import log as log
from sympy import pi as pi
from sympy import sin as sin
from sympy import sinh as sinh
from sympy import sqrt as sqrt
from sympy import tan as tan
from sympy import tanh as tanh
