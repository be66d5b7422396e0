"""CasADi functions of scalars as tapes: tables of instructions for one compiled program.

What is compiled is the same for all functions, and each instruction is carried out at several places
side by side (`c/tape.h`): no compiler has to read a long function for a few thousand evaluations. The
digits are those of the function.
"""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array
from routh.kernels.engine import Unsupported
from routh.kernels.native.written import FORMS, header

LINE = 8
"""Numbers in a line of the cache: lanes that begin within one are read twice as slowly."""


class Tape:
    """A function as a table.

    Attributes:
        rows: (count, 4) code, place of the result, places of the arguments.
        constants: the numbers in it.
        inputs: where the entries of each argument begin among all.
    """

    def __init__(self, function: Any) -> None:
        if not function.is_a("SXFunction"):
            raise Unsupported("a function with linear solves of its own")
        sizes = [int(function.nnz_in(k)) for k in range(function.n_in())]
        self.inputs = [0, *np.cumsum(sizes).tolist()]
        outputs = [0, *np.cumsum([int(function.nnz_out(k)) for k in range(function.n_out())]).tolist()]
        rows: list[tuple[int, int, int, int]] = []
        constants: list[float] = []
        for k in range(function.n_instructions()):
            code = int(function.instruction_id(k))
            i, o = function.instruction_input(k), function.instruction_output(k)
            if code == casadi.OP_INPUT:
                row = (code, o[0], self.inputs[i[0]] + i[1], 0)
            elif code == casadi.OP_OUTPUT:
                row = (code, outputs[o[0]] + o[1], i[0], 0)
            elif code == casadi.OP_CONST:
                row = (code, o[0], len(constants), 0)
                constants.append(float(function.instruction_constant(k)))
            elif code in FORMS:
                row = (code, o[0], i[0], i[1] if len(i) > 1 else 0)
            else:
                raise Unsupported("a function that is not written in C here")
            rows.append(row)
        self.rows: NDArray[np.int32] = np.array(rows, dtype=np.int32).reshape(-1, 4)
        self.constants: Array = np.array([*constants, 0.0])
        self._work = max(1, int(function.sz_w()))

    def room(self, lanes: int) -> Array:
        """Where it keeps its numbers while it is carried out, at a line of the memory's cache."""
        room = np.zeros(self._work * lanes + LINE)
        return room[-room.ctypes.data // room.itemsize % LINE :]


def tape_text(**widths: int) -> str:
    """The C that carries tapes out, as functions of these names for so many places side by side."""
    cases = [
        f"case {code}: TAPE_PUT({form.format('a[l]', 'b[l]')})" for code, form in sorted(FORMS.items())
    ]
    names = {
        "TAPE_INPUT": casadi.OP_INPUT,
        "TAPE_OUTPUT": casadi.OP_OUTPUT,
        "TAPE_CONSTANT": casadi.OP_CONST,
        "TAPE_CASES": " \\\n".join(cases),
    }
    parts = [f"#define {name} {value}" for name, value in names.items()]
    for name, width in widths.items():
        parts += [f"#define TAPE_RUN {name}\n#define WIDTH {width}", header("tape")]
        parts += ["#undef TAPE_RUN\n#undef WIDTH"]
    return "\n".join(parts)
