"""The compiler of C of this machine, and what it makes of a source.

Products and sums are not contracted and nothing is reordered, so that results have the same digits on
every machine whose library of mathematics has. `ziglang`, the extra `compiler`, brings a compiler where
there is none.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from routh.errors import DerivationError

COMMANDS = ("cc", "gcc", "clang")
"""Names of compilers, in the order in which they are looked for."""

OPTIONS = (
    "-O2", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared",
    "-fvisibility=hidden", "-w",
)  # fmt: skip


@dataclass(frozen=True)
class Compiler:
    """A command that compiles C, and what it says of itself."""

    command: tuple[str, ...]
    version: str

    @property
    def identity(self) -> str:
        """What its products depend on beside their source: itself, its options, and this processor."""
        return "\n".join([*self.command, self.version, *OPTIONS, platform.machine(), _processor()])

    def make(self, source: str) -> bytes:
        """The library made of a source.

        Raises:
            DerivationError: it fails.
        """
        with tempfile.TemporaryDirectory(prefix="routh-", ignore_cleanup_errors=True) as folder:
            given, made = Path(folder, "routh.c"), Path(folder, "routh.so")
            given.write_text(source, "utf-8")
            words = [*self.command, *OPTIONS, str(given), "-o", str(made), "-lm"]
            done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
            if done.returncode or not made.is_file():
                name, said = " ".join(self.command), done.stderr.strip()[:300]
                raise DerivationError(
                    f'The compiler `{name}` failed: {said} Repair it, or give engine="casadi": the'
                    " results are the same."
                )
            return made.read_bytes()


def compiler() -> Compiler | None:
    """The compiler that is found now, if there is one."""
    return _found(os.environ.get("PATH", ""))


@lru_cache(maxsize=8)
def _found(path: str) -> Compiler | None:
    for name in COMMANDS:
        place = shutil.which(name, path=path)
        version = _version((place,)) if place else ""
        if place and version:
            return Compiler((place,), version)
    if find_spec("ziglang") is not None:
        command = (sys.executable, "-m", "ziglang", "cc")
        version = _version(command)
        if version:
            return Compiler(command, version)
    return None


def _version(command: tuple[str, ...]) -> str:
    """What a command says of its version; empty where it does not run."""
    try:
        done = subprocess.run(  # noqa: S603
            [*command, "--version"], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if not done.returncode else ""


@lru_cache(maxsize=1)
def _processor() -> str:
    """What this processor can do, as far as the system tells: code is made for it alone."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")
