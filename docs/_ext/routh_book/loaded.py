"""What every page loads: imported once, by the process that those of the pages come from."""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MPLBACKEND="Agg")

import casadi  # noqa: F401
import matplotlib.pyplot  # noqa: F401
import scipy.integrate  # noqa: F401

import routh
import routh.cli.main
from routh_book import executing, gallery_runs  # noqa: F401

for name in routh.__all__:
    getattr(routh, name)  # names are loaded when they are used
for name in routh.results.__all__:
    getattr(routh.results, name)
