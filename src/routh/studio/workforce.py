"""The worker processes: who does which ask, how many there are, and when one is ended.

Three lanes lead to them, so that a hand at a slider never waits for a chart: `swift` for what follows
typing and dragging, `quick` for what a tab shows at once, `long` for all else. A desk has one worker in
each of the first two, which keeps its models, and two in the last.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from routh.studio.shift import shift
from routh.studio.worker import Limits, Work, Worker

SWIFT = frozenset({"read", "live", "drag"})
QUICK = frozenset({"picture", "modes", "response", "values", "example", "lore"})

AT_ONCE = {"swift": 1, "quick": 1, "long": 2}
"""Asks of one desk that are worked on together, by lane."""

MOST = 8
"""Processes at once."""

MOST_LONG = 5
"""Of them, those that long asks may have: three are left for the others."""

IDLE = 300.0
"""Seconds after which a worker without work is ended."""

GRACE = {"swift": 0.25, "quick": 0.25, "long": 0.0}
"""Seconds in which an ask whose text is gone may still end by itself: a process that has its models is
worth more than a moment."""

STILLBORN = 3
"""Workers in a row that end before they are ready, after which none is started but for an ask."""

TRIES = 2
"""Workers that an ask is given to where one ends before it began."""

Hear = Callable[[bytes, bool], None]


def lane_of(kind: str) -> str:
    """The lane of a kind of ask."""
    return "swift" if kind in SWIFT else "quick" if kind in QUICK else "long"


@dataclass(eq=False)
class Job:
    """An ask on its way through the crew; `hear` gets its messages, and whether one is the last."""

    desk: str
    n: int
    kind: str
    about: dict[str, Any]
    hear: Hear
    tries: int = 0
    post: Post | None = None
    done: bool = False
    timer: asyncio.TimerHandle | None = None

    @property
    def lane(self) -> str:
        """Where it runs."""
        return lane_of(self.kind)

    @property
    def text(self) -> str | None:
        """The text of the model that it is about."""
        return self.about.get("text")

    def request(self) -> bytes:
        """What the worker is handed."""
        whole = {"n": self.n, "ask": self.kind, "desk": self.desk, "long": self.lane == "long"}
        return json.dumps(whole | {"about": self.about}).encode()

    def stopped(self, why: str, sentence: str) -> None:
        """Tell that nothing more comes of it, and why."""
        if not self.done:
            message = {"n": self.n, "ask": self.kind, "say": "stopped", "why": why}
            self.say(json.dumps(message | {"sentence": sentence}).encode(), last=True)

    def say(self, message: bytes, *, last: bool) -> None:
        """Hand on a message, unless the last one was said."""
        if not self.done:
            self.done = last
            self.hear(message, last)


@dataclass(eq=False)
class Post:
    """A worker with its present ask, whom it works for, and since when it waits."""

    worker: Worker
    lane: str = ""
    desk: str = ""
    job: Job | None = None
    since: float = 0.0
    ready: bool = False
    ended: bool = False


@dataclass(eq=False)
class Crew:
    """The workers of a server. All of it happens in one loop."""

    limits: Limits = field(default_factory=Limits)
    keep: str = "."
    work: Work = shift
    most: int = MOST
    idle: float = IDLE
    _posts: dict[Worker, Post] = field(default_factory=dict)
    _waiting: list[Job] = field(default_factory=list)
    _sweeper: asyncio.Task[None] | None = None
    _closed: bool = False
    _stillborn: int = 0

    def open(self) -> None:
        """Start the first worker, and begin to look for idle ones."""
        self._spare()
        self._sweeper = asyncio.get_running_loop().create_task(self._sweep())

    async def close(self) -> None:
        """End every worker at once."""
        self._closed = True
        if self._sweeper is not None:
            self._sweeper.cancel()
        for job in self._waiting:
            job.stopped("closed", "The studio has been stopped. Start it again with: routh studio")
        self._waiting.clear()
        for post in list(self._posts.values()):
            post.worker.kill()
        while self._posts:
            await asyncio.sleep(0.01)

    def take(self, job: Job) -> None:
        """Do an ask as soon as a worker is free for it."""
        self._waiting.append(job)
        self._hand_out()

    def drop(self, job: Job, why: str, sentence: str, grace: float = 0.0) -> None:
        """Stop an ask: one that waits at once, one that runs with its process, after the grace."""
        if job.done:
            return
        if job in self._waiting:
            self._waiting.remove(job)
            job.stopped(why, sentence)
        elif grace:
            asyncio.get_running_loop().call_later(grace, self.drop, job, why, sentence)
        else:
            job.stopped(why, sentence)
            if job.post is not None:
                self._kill(job.post)

    def counted(self) -> dict[str, int]:
        """How many workers there are, work and wait, and how many asks wait for one."""
        busy = sum(post.job is not None for post in self._posts.values())
        return {"workers": len(self._posts), "busy": busy, "waiting": len(self._waiting)}

    def _hand_out(self) -> None:
        """Give every ask that waits to a worker that may have it, the hasty ones first."""
        for lane in AT_ONCE:
            for job in [each for each in self._waiting if each.lane == lane]:
                post = self._post_for(job)
                if post is not None:
                    self._waiting.remove(job)
                    self._begin(job, post)
        self._spare()

    def _post_for(self, job: Job) -> Post | None:
        lane, posts = job.lane, [post for post in self._posts.values() if not post.ended]
        running = [post for post in posts if post.job is not None and post.lane == lane]
        if sum(post.desk == job.desk for post in running) >= AT_ONCE[lane]:
            return None
        if lane == "long" and len(running) >= max(1, min(MOST_LONG, self.most - 1)):
            return None
        free = sorted((post for post in posts if post.job is None), key=lambda post: post.since)
        own = [post for post in free if (post.lane, post.desk) == (lane, job.desk)]
        for post in [*own, *(post for post in free if not post.lane)]:
            return post
        if len(self._posts) < self.most:
            return self._started()
        alike = [post for post in free if (post.lane == "long") == (lane == "long")]
        if alike:
            return alike[0]
        if free:  # one that has become patient is no good for the hasty, and the other way round
            self._end(free[0])
        return None

    def _started(self) -> Post:
        worker = Worker(self, self.limits, self.keep, self.work)
        self._posts[worker] = Post(worker, since=time.monotonic())
        return self._posts[worker]

    def _spare(self) -> None:
        """Keep one worker ready for whoever comes next, where there is room for it."""
        fresh = any(not post.lane and not post.ended for post in self._posts.values())
        room = len(self._posts) < self.most and self._stillborn < STILLBORN
        if room and not fresh and not self._closed:
            self._started()

    def _begin(self, job: Job, post: Post) -> None:
        post.lane, post.desk, post.job, job.post = job.lane, job.desk, job, post
        job.tries += 1
        sentence = (
            f"The computation took longer than {self.limits.seconds:g} seconds and was stopped. Ask for"
            " less, or give it more time: routh studio --minutes 10."
        )
        job.timer = asyncio.get_running_loop().call_later(
            self.limits.seconds, self.drop, job, "time", sentence
        )
        post.worker.ask(job.request())

    def _free(self, post: Post) -> None:
        """The worker has done its ask."""
        job, post.job, post.since = post.job, None, time.monotonic()
        if job is not None:
            job.post = None
            if not job.desk:  # what the server itself has asked leaves a worker as fresh as it was
                post.lane = ""
            if job.timer is not None:
                job.timer.cancel()

    def _end(self, post: Post) -> None:
        post.ended = True
        post.worker.end()

    def _kill(self, post: Post) -> None:
        self._free(post)
        post.ended = True
        post.worker.kill()

    def said(self, worker: Worker, message: bytes, last: bool) -> None:
        """A worker has said something about its ask."""
        post = self._posts.get(worker)
        if post is None or post.job is None:
            return
        job = post.job
        if last:
            self._free(post)
        job.say(message, last=last)
        if last:
            self._hand_out()

    def ready(self, worker: Worker) -> None:
        """A new worker waits: its idle time begins."""
        self._stillborn = 0
        if worker in self._posts:
            self._posts[worker].ready = True
            self._posts[worker].since = time.monotonic()

    def gone(self, worker: Worker, code: int | None) -> None:
        """A worker has ended: its ask is told why, or given to another where it had not begun."""
        post = self._posts.pop(worker, None)
        if post is None:
            return
        job = post.job
        self._free(post)
        self._stillborn += not (post.ready or post.ended)
        if job is not None and not job.done:
            again = (not worker.begun or code == 0) and job.tries < TRIES
            if again and not self._closed:
                self._waiting.insert(0, job)
            else:
                job.stopped("died", _last_words(code))
        if not self._closed:
            self._hand_out()

    async def _sweep(self) -> None:
        """End what has been idle for long; a fresh one stays."""
        while True:
            await asyncio.sleep(min(self.idle / 4, 10.0))
            limit = time.monotonic() - self.idle
            for post in list(self._posts.values()):
                if post.job is None and post.lane and not post.ended and post.since < limit:
                    self._end(post)


def _last_words(code: int | None) -> str:
    """What is told where a process ended by itself."""
    if code in (-9, -6):
        return (
            "The computation was ended by the system, most likely because memory ran out. Ask for less"
            " (fewer functions, points or coordinates), and try again."
        )
    how = f"by signal {-code}" if code is not None and code < 0 else f"with code {code}"
    return (
        f"The process of this computation ended unexpectedly, {how}. A new one is ready: try again, and"
        " if it happens once more, report it with the model."
    )
