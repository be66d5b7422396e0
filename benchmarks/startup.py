"""What it costs to begin: processor time of `import routh` and of the command, beside that of SymPy.

    python benchmarks/startup.py

Each line is the least of seven fresh interpreters with compiled modules, so that other work on the
machine counts as little as possible; the ratios are what can be compared between machines.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

REPEATS = 7
PENDULUM = Path(__file__).parents[1] / "examples" / "models" / "pendulum.toml"
COMMAND = "import sys; from routh.cli.main import main; sys.argv = {}; main()"
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
} | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

CASES = {
    "python": "pass",
    "import sympy": "import sympy",
    "import numpy, casadi": "import numpy, casadi",
    "import routh": "import routh",
    "routh.System (the language)": "import routh; routh.System",
    "routh.modes (the engine)": "import routh; routh.equilibrium, routh.linearize, routh.modes",
    "routh --help": COMMAND.format(["routh", "--help"]),
    "routh modes pendulum.toml": COMMAND.format(["routh", "modes", str(PENDULUM)]),
}


def seconds(code: str) -> float:
    """The processor time of an interpreter that runs the code, the least of several."""
    return min(_once(code) for _ in range(REPEATS + 1))  # the first one compiles


def _once(code: str) -> float:
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a table."""
    times = {name: seconds(code) for name, code in CASES.items()}
    unit = times["import sympy"]
    for name, time in times.items():
        print(f"{name:30} {time:6.3f} s of processor time {time / unit:8.2f} of import sympy")


if __name__ == "__main__":
    main()
