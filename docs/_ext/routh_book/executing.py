"""A page carried out: its cells in order, in one namespace, in a temporary folder of its own."""

from __future__ import annotations

import ast
import io
import os
import shlex
import subprocess
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from .cells import Cell, Page
from .figures import figures_made, without_figures
from .markup import shown

LINE = 92
"""Letters in a line of the terminal."""


class PageError(Exception):
    """A cell did not do what its page says; the message has the page, the line and the reason."""


@dataclass(frozen=True)
class Outcome:
    """What a cell did: text that was printed, its last value and its figures as HTML, its refusal."""

    code: str
    printed: str = ""
    value: str = ""
    refused: str = ""
    figures: list[str] = field(default_factory=list)


def execute(page: Page) -> list[Outcome]:
    """Carry out a page, cell by cell.

    Raises:
        PageError: a cell failed, or did not fail where it says that it does.
    """
    space: dict[str, Any] = {"__name__": "page", "__file__": page.path.name}
    done: list[Outcome] = []
    with _apart(page.path.parent):
        for cell in page.cells:
            try:
                done.append(_STEPS[cell.kind](cell, space, page.path.name))
            except PageError as error:
                raise PageError(f"{page.path}:{cell.line}: {error}") from None
    return done


@contextmanager
def _apart(beside: Path) -> Iterator[None]:
    """A folder, an environment and settings that no other page sees, and the modules beside it."""
    quiet = {
        "COLUMNS": str(LINE), "NO_COLOR": "1", "TERM": "dumb", "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
        stack.enter_context(patch.dict(os.environ, quiet))
        os.environ.pop("FORCE_COLOR", None)
        stack.enter_context(chdir(folder))
        stack.enter_context(patch.object(sys, "path", [str(beside.resolve()), *sys.path]))
        stack.enter_context(without_figures())
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("error")
        for old in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
            warnings.simplefilter("ignore", old)  # of other packages: they concern no reader
        yield


def _python(cell: Cell, space: dict[str, Any], name: str) -> Outcome:
    """Code, with its last expression looked at as a notebook does."""
    expected = cell.options.get("raises", "")
    said, value, refused = io.StringIO(), None, ""
    try:
        with redirect_stdout(said):
            value = _evaluated(cell, space, name)
    except Exception as error:
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if not expected or expected not in kinds:
            raise PageError(_told(error, name)) from None
        refused = f"{type(error).__name__}: {error}"
    if expected and not refused:
        raise PageError(f"Expected {expected}, and nothing was raised.")
    made = figures_made(cell.options.get("figure", ""))
    drawn = made and type(value).__module__.startswith(
        ("matplotlib", "mpl_toolkits", "numpy", "builtins")
    )
    html = "" if value is None or drawn else shown(value)
    return Outcome(cell.code, said.getvalue(), html, refused, made)


def _evaluated(cell: Cell, space: dict[str, Any], name: str) -> Any:
    tree = ast.parse(cell.code, name)
    ast.increment_lineno(tree, cell.line - 1)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), space)  # noqa: S102  # the pages are our own
    if last is None or cell.code.rstrip().endswith(";"):
        return exec(compile(ast.Module([last], []), name, "exec"), space) if last else None  # noqa: S102
    return eval(compile(ast.Expression(last.value), name, "eval"), space)  # noqa: S307


def _check(cell: Cell, space: dict[str, Any], name: str) -> Outcome:
    done = _python(cell, space, name)
    return Outcome(done.code)


def _told(error: Exception, name: str) -> str:
    """The error with the lines of the page that led to it."""
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == name]
    where = f" (line {lines[-1]})" if lines else ""
    inside = "".join(traceback.format_exception(error)[-4:])
    return f"{type(error).__name__}{where}: {error}\n{inside}"


def _model(cell: Cell, space: dict[str, Any], name: str) -> Outcome:  # noqa: ARG001
    if not cell.argument or Path(cell.argument).name != cell.argument:
        raise PageError(f"A model needs the name of a file, like swing.toml. Got {cell.argument!r}.")
    Path(cell.argument).write_text(cell.code + "\n", "utf-8")
    return Outcome(cell.code)


def _terminal(cell: Cell, space: dict[str, Any], name: str) -> Outcome:  # noqa: ARG001
    """Lines of `routh ...` (or `python file.py`), each with what it printed."""
    lines = [line.strip().removeprefix("$ ") for line in cell.code.splitlines() if line.strip()]
    said = ""
    for k, line in enumerate(lines):
        code, text = _ran(line)
        expected = int(cell.options.get("code", "0")) if k == len(lines) - 1 else 0
        if code != expected:
            raise PageError(f"`{line}` ended with {code}, expected {expected}.\n{text}")
        said += f"$ {line}\n{text.rstrip()}\n" + "\n" * (k < len(lines) - 1)
    return Outcome(cell.code, said)


def _ran(line: str) -> tuple[int, str]:
    words = shlex.split(line)
    if words[0] == "routh":
        return _commanded(words)
    if words[0] == "python":
        done = subprocess.run(  # noqa: S603
            [sys.executable, *words[1:]], capture_output=True, text=True, timeout=300, check=False
        )
        return done.returncode, done.stdout + done.stderr
    raise PageError(f"A terminal runs `routh ...` and `python file.py`. Got `{line}`.")


def _commanded(words: list[str]) -> tuple[int, str]:
    """The command within this process: it takes a second to load otherwise."""
    from routh.cli.main import main  # noqa: PLC0415  # loads SymPy

    said = io.StringIO()
    with patch.object(sys, "argv", words), redirect_stdout(said), redirect_stderr(said):
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return code, said.getvalue()


_STEPS = {"run": _python, "check": _check, "model": _model, "terminal": _terminal}


def as_json(done: list[Outcome]) -> list[dict[str, Any]]:
    """Outcomes as plain data, to be kept in a file."""
    return [asdict(each) for each in done]
