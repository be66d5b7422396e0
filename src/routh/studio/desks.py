"""What belongs to one open page, kept while its connection is lost: asks, and answers not yet sent."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from routh.errors import DeclarationError, RouthError
from routh.studio.workforce import AT_ONCE, GRACE, Crew, Job

MOST_DESKS = 50
"""Desks at once; the one that was left longest ago goes for a new one."""

ABSENT = 3600.0
"""Seconds after which a desk is cleared whose page has not come back."""

MOST_KEPT = 32
"""Last messages of asks that are kept for a page that lost its connection."""

MOST_KEPT_BYTES = 8_000_000
"""Bytes of them."""

MOST_SENT = 4
"""Of them, those that have been sent, and may have been lost on the way."""

LARGE = 200_000
"""Bytes of a message that is not kept once it has been sent."""

SHORT = 4000
"""Bytes of a message that can say that an ask was stopped."""

MOST_UNDER_WAY = 64
"""Asks of one desk that wait or run."""

MOST_UNSENT = 64_000_000
"""Bytes on their way to a page that does not take them; it is cut off then, and may come back."""

EVERY_ONE = frozenset({"export"})
"""Kinds of which a newer ask does not take the place of an older one."""

TAKEN_OVER = 4001
"""Code with which a connection is closed whose desk another page has taken."""

TOO_SLOW = 4002
"""Code with which a connection is closed whose page does not take what it is sent."""


@dataclass(eq=False)
class Line:
    """A connection as a desk sees it: messages that are to be sent, in their order."""

    messages: deque[bytes] = field(default_factory=deque)
    unsent: int = 0
    filled: asyncio.Event = field(default_factory=asyncio.Event)
    closing: int | None = None

    def put(self, message: bytes) -> None:
        """Send a message when its turn comes; nothing more to a page that is cut off."""
        if self.closing is not None:
            return
        self.messages.append(message)
        self.unsent += len(message)
        if self.unsent > MOST_UNSENT:
            self.hang_up(TOO_SLOW)
        self.filled.set()

    def hang_up(self, code: int) -> None:
        """Close the connection, after what has been put."""
        if self.closing is None:
            self.closing = code
        self.filled.set()

    async def next(self) -> bytes | None:
        """The next message to send; None where the connection is to be closed."""
        while not self.messages and self.closing is None:
            self.filled.clear()
            await self.filled.wait()
        if self.closing == TOO_SLOW or not self.messages:
            return None
        message = self.messages.popleft()
        self.unsent -= len(message)
        return message


@dataclass(eq=False)
class Desk:
    """The asks of a page, what came of them, and the line to it while there is one."""

    name: str
    crew: Crew
    line: Line | None = None
    left: float = 0.0
    jobs: dict[int, tuple[bytes, Job]] = field(default_factory=dict)
    _kept: OrderedDict[int, tuple[bytes, bytes, bool]] = field(default_factory=OrderedDict)

    def connect(self, greeting: bytes) -> Line:
        """A new line to the page: what it missed goes first. An older line is closed."""
        if self.line is not None:
            self.line.hang_up(TAKEN_OVER)
        self.line = Line()
        self.line.put(greeting)
        for n, (mark, message, sent) in list(self._kept.items()):
            if not sent:
                self.line.put(message)
                self._kept[n] = (mark, message, True)
        return self.line

    def leave(self, line: Line) -> None:
        """The connection of a line is lost; work goes on."""
        if self.line is line:
            self.line = None
            self.left = time.monotonic()

    def ask(self, n: int, kind: str, about: dict[str, Any]) -> None:
        """Take an ask. The same one once more, after a connection was lost, is not done twice."""
        mark = _mark(kind, about)
        if n in self.jobs:
            if self.jobs[n][0] == mark:
                return
            self._forget(n)
        if n in self._kept and self._kept[n][0] == mark:
            self.tell(self._kept[n][1])
            return
        if kind == "read":
            self._leave_text(about.get("text"))
        self._supersede(kind)
        job = Job(self.name, n, kind, about, lambda message, last: self._heard(n, mark, message, last))
        if len(self.jobs) >= MOST_UNDER_WAY:
            job.stopped("busy", "Too much is under way for this page. Wait for it, or cancel some.")
            return
        self.jobs[n] = (mark, job)
        self.crew.take(job)

    def cancel(self, n: Any) -> None:
        """Stop an ask, at the wish of the page."""
        if isinstance(n, int) and n in self.jobs:
            self._drop(self.jobs[n][1], "cancelled", "Cancelled.")

    def clear(self) -> None:
        """Stop everything: nobody will come back for it."""
        for _, job in list(self.jobs.values()):
            self._drop(job, "cancelled", "The page was closed.")
        self._kept.clear()

    def tell(self, message: bytes) -> None:
        """Send a message now, where somebody listens."""
        if self.line is not None:
            self.line.put(message)

    def answer(self, n: int, kind: str, work: Callable[[], dict[str, Any]]) -> None:
        """Send what small work gives that needs no worker, or its refusal."""
        whole: dict[str, Any] = {"n": n, "ask": kind}
        began = time.perf_counter()
        try:
            answer = work()
            took = round((time.perf_counter() - began) * 1000, 2)
            whole |= {"say": "answer", "answer": answer, "took": took}
        except RouthError as error:
            whole |= {"say": "refused", "sentence": str(error), "place": None, "what": None}
        except OSError as error:
            reason = error.strerror or str(error)
            whole |= {"say": "refused", "sentence": f"It cannot be done: {reason}."}
            whole |= {"place": None, "what": None}
        self.tell(json.dumps(whole, ensure_ascii=False).encode("utf-8", errors="replace"))

    def _heard(self, n: int, mark: bytes, message: bytes, last: bool) -> None:
        """A message of an ask, for a page that is there; the last is kept for one that is not."""
        self.tell(message)
        if not last:
            return
        self.jobs.pop(n, None)
        self._kept.pop(n, None)
        here = self.line is not None
        if here and (len(message) > LARGE or _is_stopped(message)):
            return  # should it be lost on the way, the page asks again and it is done again
        if len(message) > MOST_KEPT_BYTES:
            words = "The answer came while the page was away, and was too large to be kept. Ask again."
            about = {"n": n, "say": "stopped", "why": "away", "sentence": words}
            message = json.dumps(about).encode()
        self._kept[n] = (mark, message, here)
        sent = [each for each, (_, _, was_sent) in self._kept.items() if was_sent]
        for old in sent[:-MOST_SENT]:
            del self._kept[old]
        size = sum(len(each) for _, each, _ in self._kept.values())
        while len(self._kept) > MOST_KEPT or size > MOST_KEPT_BYTES:
            _, (_, oldest, _) = self._kept.popitem(last=False)
            size -= len(oldest)

    def _forget(self, n: int) -> None:
        """Stop an ask of which the page has lost every memory: it counts from one again."""
        _, job = self.jobs.pop(n)
        job.hear = _unheard
        self.crew.drop(job, "superseded", "")

    def _leave_text(self, text: Any) -> None:
        """Stop what is about another text than the one that is written now."""
        for _, job in list(self.jobs.values()):
            if job.text is not None and job.text != text and job.kind not in EVERY_ONE:
                words = "The text has changed since this was asked."
                self.crew.drop(job, "text", words, GRACE[job.lane])

    def _supersede(self, kind: str) -> None:
        """Stop asks of the same kind that have not begun: the newest counts."""
        if kind in EVERY_ONE:
            return
        for _, job in list(self.jobs.values()):
            crowded = job.lane == "long" and self._running("long") >= AT_ONCE["long"]
            if job.kind == kind and (job.post is None or crowded):
                self._drop(job, "superseded", "A newer ask has taken its place.")

    def _running(self, lane: str) -> int:
        return sum(job.lane == lane and job.post is not None for _, job in self.jobs.values())

    def _drop(self, job: Job, why: str, sentence: str) -> None:
        self.crew.drop(job, why, sentence)


def _unheard(_: bytes, __: bool) -> None:
    """Nobody listens."""


def _is_stopped(message: bytes) -> bool:
    """Whether a message says that nothing came of an ask."""
    return len(message) <= SHORT and json.loads(message)["say"] == "stopped"


def _mark(kind: str, about: dict[str, Any]) -> bytes:
    """What tells one ask from another."""
    return sha256(json.dumps([kind, about], sort_keys=True).encode()).digest()


@dataclass(eq=False)
class Desks:
    """All desks of a server."""

    crew: Crew
    _desks: dict[str, Desk] = field(default_factory=dict)

    def desk(self, name: str) -> Desk:
        """The desk of this name, or a new one; one that was left makes room for it.

        Raises:
            DeclarationError: as many pages as there may be are open.
        """
        self._clear_absent()
        if name not in self._desks:
            if len(self._desks) >= MOST_DESKS:
                self._make_room()
            self._desks[name] = Desk(name, self.crew)
        return self._desks[name]

    def _clear_absent(self) -> None:
        now = time.monotonic()
        for name, desk in list(self._desks.items()):
            if desk.line is None and desk.left and now - desk.left > ABSENT:
                desk.clear()
                del self._desks[name]

    def _make_room(self) -> None:
        absent = [desk for desk in self._desks.values() if desk.line is None]
        if not absent:
            raise DeclarationError(
                f"{MOST_DESKS} pages are open at this studio, and that is as many as it has. Close one."
            )
        oldest = min(absent, key=lambda desk: desk.left)
        oldest.clear()
        del self._desks[oldest.name]

    def hang_up(self) -> None:
        """Close every line: the studio ends."""
        for desk in self._desks.values():
            if desk.line is not None:
                desk.line.hang_up(1001)

    def __len__(self) -> int:
        return len(self._desks)
