"""What every page loads: imported once, by the process that those of the pages come from."""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MPLBACKEND="Agg")

import casadi  # noqa: F401
import matplotlib.pyplot  # noqa: F401
import numpy  # noqa: F401
import scipy.integrate  # noqa: F401
import sympy  # noqa: F401

import routh.cli.main  # noqa: F401
