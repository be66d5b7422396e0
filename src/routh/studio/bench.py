"""What an answer works with: models and findings of the last texts, and words on how far it is."""

from __future__ import annotations

import math
import secrets
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from sympy.core.cache import clear_cache

from routh.display.report.findings import Findings
from routh.errors import DeclarationError, did_you_mean, in_line, listed
from routh.files.loading import load
from routh.files.model import Model
from routh.language.system import System
from routh.studio.plain import is_finite

MODELS = 4
"""Texts whose models are kept. Two variants of two models are four."""

FOUND = 8
"""Findings that are kept: a few positions of the sliders for each model."""

MOST_FUNCTIONS = 200
"""Functions or elements of a field that the page may ask for."""

BETWEEN_CLEARINGS = 32
"""Texts after which SymPy and the engine forget what they have remembered: most of it is of texts that
are gone, since somebody who types makes a new one with every letter."""

BETWEEN_WORDS = 0.1
"""Seconds between two reports of progress: the eye needs no more of them."""


Key = TypeVar("Key")
Value = TypeVar("Value")


class Bench:
    """The bench of one worker process. Every answer is a function `(bench, about)`.

    `bench.model(text)` is the model of a text, `bench.findings(text, values, sizes)` what is computed
    of it with parameters and fields as the page has them: both are kept, so that asking again with the
    same arguments costs nothing, and what does not depend on values is shared between findings of one
    text. `bench.progress(done, words)` tells the page how far it is. `bench.made(name, content)` is a
    file for the page, given back as `{"url", "name", "size"}`. Mistakes raise RouthError; the place in
    the text is found by the workbench.
    """

    def __init__(
        self,
        tell: Callable[[float | None, str], None] | None = None,
        keep: Path | None = None,
    ) -> None:
        """A bench that tells progress to `tell` and puts files into the folder `keep`."""
        self._tell = tell
        self._keep = keep
        self._told = -math.inf
        self._read = 0
        self._models: OrderedDict[str, Model] = OrderedDict()
        self._systems: OrderedDict[tuple[Any, ...], System] = OrderedDict()
        self._found: OrderedDict[tuple[Any, ...], Findings] = OrderedDict()
        self.desk = ""
        """The desk that the present ask came from; files are made for it."""

    def model(self, text: str) -> Model:
        """The model of a text, read by the safe parser alone; never a path."""
        if not isinstance(text, str):
            raise DeclarationError("The ask needs the `text` of a model. Got none.")
        return _kept(self._models, text, MODELS, lambda: self._loaded(text))

    def _loaded(self, text: str) -> Model:
        """The model of a text that is new here."""
        self._read += 1
        if self._read % BETWEEN_CLEARINGS == 0:
            _forget()
        return load(_lines(text))

    def findings(
        self,
        text: str,
        values: Mapping[str, float] | None = None,
        sizes: Mapping[str, int] | None = None,
    ) -> Findings:
        """What is computed of a model, with these values of parameters and functions of fields.

        Values and sizes that are not given are those of the file. `found.values` has a number for
        each parameter that has one; `found.model.sizes` has the sizes; `found.system` is discretized.
        """
        model = _sized(self.model(text), sizes or {})
        numbers = model.values | _checked_values(model, values or {})
        shape = tuple(sorted((field.name, size) for field, size in model.sizes.items()))
        key = (text, shape, tuple(sorted(numbers.items())))
        return _kept(self._found, key, FOUND, lambda: self._made(model, numbers, (text, shape)))

    def _made(self, model: Model, numbers: dict[str, float], of: tuple[Any, ...]) -> Findings:
        found = Findings(model, numbers)
        if model.system.fields:  # making coordinates of fields is slow, and no value changes it
            found.__dict__["system"] = _kept(self._systems, of, MODELS, lambda: found.system)
        return found

    def progress(self, done: float | None, words: str = "") -> None:
        """Tell the page how far the work is: a share of 1, or None where nobody knows."""
        now = time.monotonic()
        if self._tell is not None and now - self._told >= BETWEEN_WORDS:
            self._told = now
            self._tell(done, words)

    def made(self, name: str, content: bytes | str) -> dict[str, Any]:
        """A file for the page of the present desk: where it is fetched, its name and its bytes."""
        if self._keep is None:
            raise DeclarationError("Files are made for the page alone.")
        raw = content.encode("utf-8") if isinstance(content, str) else content
        clean = "".join(c if c.isalnum() or c in "._-" else "_" for c in name).lstrip(".") or "file"
        secret = secrets.token_urlsafe(24)
        folder = self._keep / self.desk / secret
        folder.mkdir(parents=True, mode=0o700)
        (folder / clean).write_bytes(raw)
        return {"url": f"/made/{self.desk}/{secret}/{clean}", "name": clean, "size": len(raw)}


def _forget() -> None:
    """Empty the stores of what was worked out before: SymPy's, and those of functions of Routh."""
    clear_cache()
    for name, module in list(sys.modules.items()):
        if name.startswith("routh."):
            for each in vars(module).values():
                if hasattr(each, "cache_clear"):
                    each.cache_clear()


def _lines(text: str) -> str:
    """The text, of more than one line: `load` takes a single one for a path."""
    return text if "\n" in text else f"{text}\n"


def _kept(store: OrderedDict[Key, Value], key: Key, most: int, make: Callable[[], Value]) -> Value:
    """What is stored under a key, made where it is not; what was used longest ago goes first."""
    if key in store:
        store.move_to_end(key)
        return store[key]
    made = make()
    store[key] = made
    while len(store) > most:
        store.popitem(last=False)
    return made


def _checked_values(model: Model, values: Mapping[str, float]) -> dict[str, float]:
    """Values of parameters as they came from the page, which are numbers of known names."""
    names = [p.name for p in model.system.parameters]
    for name, value in values.items():
        if name not in names:
            raise DeclarationError(
                f"The model has no parameter `{name}`. Parameters: {listed(names)}."
                + did_you_mean(name, names)
            )
        if not is_finite(value):
            raise DeclarationError(
                f"The parameter `{name}` must be a finite number. Got {in_line(value)}."
            )
    return {name: float(value) for name, value in values.items()}


def _sized(model: Model, sizes: Mapping[str, int]) -> Model:
    """The model with other numbers of functions for its fields."""
    if not sizes:
        return model
    fields = {field.name: field for field in model.sizes}
    for name, count in sizes.items():
        if name not in fields:
            raise DeclarationError(
                f"The model has no field `{name}`. Fields: {listed(fields)}."
                + did_you_mean(name, fields)
            )
        whole = isinstance(count, int) and not isinstance(count, bool)
        if not whole or not 1 <= count <= MOST_FUNCTIONS:
            raise DeclarationError(
                f"The field `{name}` takes 1 to {MOST_FUNCTIONS} functions. Got {in_line(count)}."
            )
    changed = {fields[name]: (model.sizes[fields[name]][0], count) for name, count in sizes.items()}
    return replace(model, sizes=model.sizes | changed)
