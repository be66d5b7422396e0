"""The command `routh`: runs a verb, and says what went wrong in one sentence and a code."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from json import dumps

import numpy as np
from rich.console import Console

from routh.cli import (
    outcome,
    verbs_of_data,
    verbs_of_files,
    verbs_of_motions,
    verbs_of_parameters,
    verbs_of_rests,
    verbs_of_studio,
    verbs_of_symbols,
)
from routh.cli.app import app
from routh.cli.checked import misspelt_parameter
from routh.cli.misspelt import told_misspelt
from routh.errors import RouthError

VERBS = (
    verbs_of_files, verbs_of_symbols, verbs_of_rests, verbs_of_motions, verbs_of_parameters,
    verbs_of_data, verbs_of_studio,
)  # fmt: skip
"""The modules whose functions the app knows."""

TRACEBACK = "ROUTH_TRACEBACK"
"""The variable of the environment that shows where Routh itself failed."""

BETWEEN_LOOKS = 100_000
"""Objects that are made before garbage is looked for. Python looks after 700, and loading SymPy and
CasADi makes 200,000 that stay: a tenth of the time of a short command."""

atexit.register(gc.freeze)  # and what is left at the end goes with the process: a quarter of that time


def main() -> None:
    """Run the command; a mistake is one sentence on standard error and a code for scripts."""
    try:
        try:
            _refuse_misspelt(sys.argv[1:])
            # what is not finite is told by the verbs, in sentences
            with np.errstate(all="ignore"), _looking_seldom():
                app(sys.argv[1:], error_formatter=told_misspelt)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except outcome.NotWhole as part:
        _end(part.outcome.code, str(part))
    except BrokenPipeError:  # who reads has seen enough
        _close()
        sys.exit(outcome.DONE)
    except RouthError as error:
        _tell("refused", str(error))
        _end(outcome.REFUSED, str(error))
    except OSError as error:
        _close()
        _end(outcome.REFUSED, _sentence(error))
    except KeyboardInterrupt:
        _tell("interrupted", "Interrupted.")
        _end(outcome.INTERRUPTED, "Interrupted.")
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        _tell("failed", _fault(error))
        _end(outcome.FAULT, _fault(error))


@contextmanager
def _looking_seldom() -> Iterator[None]:
    """The garbage collector looks seldom meanwhile."""
    first, *others = gc.get_threshold()
    gc.set_threshold(BETWEEN_LOOKS, *others)
    try:
        yield
    finally:
        gc.set_threshold(first, *others)


def _refuse_misspelt(words: list[str]) -> None:
    """End with the code of a wrong command line where a parameter was not said as parameters are."""
    sentence = misspelt_parameter(words)
    if sentence:
        _tell("refused", sentence)
        _end(outcome.MISSPELT, sentence)


def _tell(status: str, sentence: str) -> None:
    """The same for scripts, where they ask for JSON and can still read it."""
    if "--json" in sys.argv and sys.stdout is not None:
        with suppress(OSError):
            print(dumps({"status": status, "message": sentence}, indent=2), flush=True)


def _end(code: int, sentence: str) -> None:
    """Say what went wrong on standard error, and end."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(sentence, markup=False, style="red")
    sys.exit(code)


def _sentence(error: OSError) -> str:
    """What the system refused; without a file it is the output of the command."""
    reason = error.strerror or str(error)
    if error.filename is None:
        return f"The output was not written: {reason}."
    return f"{error.filename!r} cannot be used: {reason}."


def _fault(error: Exception) -> str:
    """What to say where Routh refused nothing and failed."""
    said = " ".join(str(error).split())[:200]
    return (
        f"Routh itself failed, with {type(error).__name__}: {said}. This is a mistake of Routh: please"
        f" report it with the model. {TRACEBACK}=1 in the environment shows where it happened."
    )


def _close() -> None:
    """Let nothing of the output be tried again when Python ends."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
