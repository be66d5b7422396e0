"""Names for kinds of arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Mask = NDArray[np.bool_]
Selected = NDArray[np.intp]
"""Numbers of points of a stack."""
