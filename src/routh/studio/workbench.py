"""What runs in a worker: requests come as plain data, messages for the page go out as they are made.

A message is JSON, ready to be handed on, behind one letter that says what it is: the server forwards
results without reading them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from routh.errors import DeclarationError, RouthError, did_you_mean
from routh.files.tokens import TextError
from routh.studio.answers.table import ASKS as ANSWERS
from routh.studio.bench import Bench
from routh.studio.library import example, lore
from routh.studio.plain import written
from routh.studio.wire import FINAL, LAST_WORDS, ON_THE_WAY

LARGEST_ANSWER = 64_000_000
"""Bytes of one message: a browser draws nothing of that size."""

ASKS: dict[str, Callable[[Bench, dict[str, Any]], Any]] = {
    "lore": lore,
    "example": example,
    **ANSWERS,
}
"""What can be asked of a worker."""

NESTED = (
    "The text is nested too deeply to be read. Write its inner parts under [let], each with a name."
)
FULL = (
    "The computation needed more memory than it may have, and was stopped. Ask for less (fewer"
    " functions, points or coordinates), or start the studio with more: routh studio --memory 4."
)


class Workbench:
    """One worker's bench, and the way from a request to messages."""

    def __init__(self, send: Callable[[bytes], None], keep: Path | None = None) -> None:
        """A workbench that hands messages to `send`, and has files made in the folder `keep`."""
        self._send = send
        self._bench = Bench(self._tell, keep)
        self._about: dict[str, Any] = {}

    def answer(self, request: bytes) -> bool:
        """Answer a request; False where the process is to be left, since its memory is full."""
        asked = json.loads(request)
        self._about = {"n": asked["n"], "ask": asked["ask"]}
        self._bench.desk = asked["desk"]
        try:
            self._work(asked["ask"], asked["about"])
        except MemoryError:
            pass
        else:
            return True
        # outside of the handler, where what was being made is let go
        self._say(LAST_WORDS, say="stopped", why="memory", sentence=FULL)
        return False

    def _work(self, kind: str, about: dict[str, Any]) -> None:
        """Do an ask, and say what came of it."""
        began = time.perf_counter()
        try:
            final = self._worked(kind, about)
            took = round((time.perf_counter() - began) * 1000, 2)
            self._say(FINAL, say="answer", answer=final, took=took)
        except MemoryError:
            raise
        except RecursionError:
            self._say(FINAL, say="refused", sentence=NESTED, place=None, what=None)
        except RouthError as error:
            self._say(FINAL, say="refused", sentence=_sentence(error), **_place(error))
        except Exception as error:
            if "bad_alloc" in str(error):  # as libraries of C++ say it
                raise MemoryError from None
            self._say(FINAL, say="stopped", why="fault", sentence=_fault(error))

    def _worked(self, kind: str, about: dict[str, Any]) -> Any:
        """The final answer; what a generator yields before it goes out as parts."""
        if kind not in ASKS:
            raise RouthError(f"The studio knows no ask `{kind}`." + did_you_mean(kind, ASKS))
        found = ASKS[kind](self._bench, about)
        if not isinstance(found, Iterator):
            return found
        last = None
        while True:
            try:
                last = next(found)
            except StopIteration as end:
                return last if end.value is None else end.value
            self._say(ON_THE_WAY, say="part", answer=last)

    def _tell(self, done: float | None, words: str) -> None:
        self._say(ON_THE_WAY, say="progress", done=done, words=words)

    def _say(self, letter: bytes, **message: Any) -> None:
        raw = written(self._about | message)
        if len(raw) > LARGEST_ANSWER:
            sentence = (
                f"The answer has {len(raw) / 1e6:.0f} MB, and {LARGEST_ANSWER / 1e6:.0f} MB are the"
                " most that a page is sent. Ask for fewer points."
            )
            raw = written(self._about | {"say": "stopped", "why": "size", "sentence": sentence})
            letter = FINAL
        self._send(letter + raw)


def _sentence(error: RouthError) -> str:
    """What is said of a mistake; of an expression without the lines that an editor shows anyway."""
    return error.sentence if isinstance(error, TextError) else str(error)


def _place(error: RouthError) -> dict[str, Any]:
    """Where in the text a mistake is, counted from 1, and what it is about; None where nobody knows."""
    span = error.span if isinstance(error, DeclarationError) else None
    if span is None:
        return {"place": None, "what": None}
    place = {"line": span.line, "column": span.column, "length": span.length}
    return {"place": place, "what": span.what or None}


def _fault(error: Exception) -> str:
    """What to say where Routh refused nothing and failed."""
    said = " ".join(str(error).split())[:200]
    return (
        f"Routh itself failed, with {type(error).__name__}: {said}. This is a mistake of Routh: please"
        " report it with the model."
    )
