"""What is served: the page and its files, the socket of each desk, and files that were made for it."""

from __future__ import annotations

import asyncio
import json
import mimetypes
import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from routh.errors import DeclarationError, RouthError
from routh.studio.desks import Desk, Desks, Line
from routh.studio.doors import LARGEST_MESSAGE, PAGE_POLICY, Doors, Guarded, made_policy
from routh.studio.folder import LARGEST, Folder
from routh.studio.workforce import Crew, Job
from routh.version import __version__

PAGE = Path(str(files("routh.studio").joinpath("page")))
KATEX = Path(str(files("routh.display.report").joinpath("vendor")))
OF_KATEX = ("katex.js", "katex.css", "LICENSE-katex")

MOST_MADE = 20
"""Files of a desk that can be fetched; the oldest go first."""

_DESK = re.compile(r"[A-Za-z0-9_-]{8,64}")
_SECRET = re.compile(r"[A-Za-z0-9_-]{16,64}")
_NAME = re.compile(r"[\w-][\w.-]{0,200}")

mimetypes.add_type("text/javascript", ".js")  # some systems say otherwise, and browsers then refuse


@dataclass(eq=False)
class Studio:
    """All that one server has: its crew, its desks, its folder, and what it was opened with."""

    crew: Crew
    folder: Folder
    made: Path
    file: dict[str, Any] | None = None
    desks: Desks = field(init=False)
    _lore: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        """No desks yet."""
        self.desks = Desks(self.crew)

    async def hello(self) -> dict[str, Any]:
        """What a page starts from."""
        if self._lore is None:
            self._lore = await self._asked("lore")
        limits = self.crew.limits
        return {
            "version": __version__,
            "folder": str(self.folder.root),
            "file": self.file,
            **(self._lore or {"examples": [], "functions": [], "schema": {}}),
            "limits": {"memory": limits.memory, "seconds": limits.seconds, "text": LARGEST},
        }

    async def _asked(self, kind: str) -> dict[str, Any] | None:
        """The answer of a worker to the server itself."""
        answered: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        def hear(message: bytes, last: bool) -> None:
            if last and not answered.done():
                answered.set_result(message)

        self.crew.take(Job("", 0, kind, {}, hear))
        found: dict[str, Any] | None = json.loads(await answered).get("answer")
        return found

    async def heard(self, desk: Desk, raw: str) -> None:
        """Do what a page asks for."""
        n, kind, about = _read_message(raw)
        if kind == "cancel":
            desk.cancel(about.get("n"))
        elif kind == "hello":
            hello = await self.hello()
            desk.answer(n, kind, lambda: hello)
        elif kind in ("files", "open", "save"):
            work = {
                "files": self.folder.files,
                "open": lambda: self.folder.open(about),
                "save": lambda: self.folder.save(about),
            }[kind]
            desk.answer(n, kind, await asyncio.to_thread(_tried, work))
        else:
            _check_text(about)
            if kind == "export":
                self._make_room(desk.name)
            desk.ask(n, kind, about)

    def _make_room(self, desk: str) -> None:
        """Remove files of a desk that are older than the last few."""
        folder = self.made / desk
        with suppress(OSError):
            every = sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime)
            for old in every[: max(0, len(every) + 1 - MOST_MADE)]:
                shutil.rmtree(old, ignore_errors=True)


def _tried(work: Any) -> Any:
    """What work on the disk gives or refuses, to be told in the loop."""
    try:
        found = work()
    except (RouthError, OSError) as error:
        return _raising(error)
    return lambda: found


def _raising(error: Exception) -> Any:
    def again() -> dict[str, Any]:
        raise error

    return again


def _read_message(raw: str) -> tuple[int, str, dict[str, Any]]:
    """The number, kind and content of a message; anything else is refused."""
    try:
        message = json.loads(raw)
    except (ValueError, RecursionError):
        raise DeclarationError("A message is JSON: {n, ask, about}.") from None
    if not isinstance(message, dict):
        raise DeclarationError("A message is an object: {n, ask, about}.")
    n, kind, about = message.get("n", 0), message.get("ask"), message.get("about", {})
    if not isinstance(n, int) or not isinstance(kind, str) or not isinstance(about, dict):
        raise DeclarationError("A message has a whole number `n`, a text `ask` and an object `about`.")
    return n, kind[:40], about


def _check_text(about: dict[str, Any]) -> None:
    """What every ask is about has the shape that workers expect."""
    text = about.get("text", "")
    if not isinstance(text, str) or len(text) > LARGEST:
        raise DeclarationError(f"A model is a text of {LARGEST} characters at most.")
    for word in ("values", "sizes", "q"):
        if not isinstance(about.get(word) or {}, dict):
            raise DeclarationError(f"`{word}` is an object with a number for each name.")


class _Page(StaticFiles):
    """The files of the page, with what the page may do."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["content-security-policy"] = PAGE_POLICY
        return response


def application(studio: Studio, doors: Doors) -> Guarded:
    """The application behind its doors."""

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        studio.crew.open()
        try:
            yield
        finally:
            studio.desks.hang_up()
            await studio.crew.close()

    async def socket(connection: WebSocket) -> None:
        await _at_desk(studio, connection)

    def made(request: Request) -> Response:
        return _made(studio.made, request)

    katex = [
        Route(f"/vendor/{name}", lambda _, name=name: FileResponse(KATEX / name), methods=["GET"])
        for name in OF_KATEX
    ]
    routes = [
        WebSocketRoute("/desk", socket),
        Route("/made/{desk}/{secret}/{name}", made, methods=["GET"]),
        *katex,
        Mount("/", _Page(directory=PAGE, html=True, check_dir=False)),
    ]
    return Guarded(Starlette(routes=routes, lifespan=life), doors)


async def _at_desk(studio: Studio, connection: WebSocket) -> None:
    """One connection from its beginning to its end."""
    name = connection.query_params.get("desk", "")
    await connection.accept()
    greeting = json.dumps({"say": "desk", "answer": await studio.hello()}, ensure_ascii=False)
    try:
        if not _DESK.fullmatch(name):
            raise DeclarationError("A desk has a name of 8 to 64 letters, digits, - and _.")
        desk = studio.desks.desk(name)
    except RouthError as error:
        await connection.send_text(json.dumps({"say": "stopped", "sentence": str(error)}))
        await connection.close(1013)
        return
    line = desk.connect(greeting.encode("utf-8", errors="replace"))
    sending = asyncio.create_task(_send(connection, line))
    try:
        while True:
            await _receive(studio, desk, line, await connection.receive_text())
    except (WebSocketDisconnect, RuntimeError, KeyError):
        pass  # the page is gone, or sent what is no text
    finally:
        desk.leave(line)
        sending.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await sending


async def _receive(studio: Studio, desk: Desk, line: Line, raw: str) -> None:
    """Take one message; what is no ask is refused and nothing else happens."""
    try:
        if len(raw) > LARGEST_MESSAGE:
            raise DeclarationError(f"A message has {LARGEST_MESSAGE} characters at most.")
        await studio.heard(desk, raw)
        return
    except RouthError as error:
        sentence = str(error)
    except Exception as error:  # whatever it is, the page goes on
        sentence = f"The studio itself failed, with {type(error).__name__}. Please report what you did."
    n, kind = _named(raw)
    words = {"n": n, "ask": kind, "say": "refused", "sentence": sentence}
    line.put(json.dumps(words | {"place": None, "what": None}).encode())


def _named(raw: str) -> tuple[Any, Any]:
    """The number and kind of a message that was refused, where it has them."""
    try:
        message = json.loads(raw)
        return message.get("n"), message.get("ask")
    except (ValueError, RecursionError, AttributeError):
        return None, None


async def _send(connection: WebSocket, line: Line) -> None:
    """Send what is put into the line, until it is closed."""
    with suppress(WebSocketDisconnect, RuntimeError, OSError):
        while (message := await line.next()) is not None:
            await connection.send_text(message.decode("utf-8"))
        await connection.close(line.closing or 1000)


def _made(folder: Path, request: Request) -> Response:
    """A file that was made for a desk; pages stand in a sandbox, all else is downloaded."""
    desk, secret, name = (request.path_params[part] for part in ("desk", "secret", "name"))
    path = folder / desk / secret / name
    shaped = _DESK.fullmatch(desk) and _SECRET.fullmatch(secret) and _NAME.fullmatch(name)
    if not shaped or not os.path.isfile(path):  # noqa: PTH113  # which says no to names that are too long
        return PlainTextResponse("There is no such file any more. Make it again.", status_code=404)
    if path.suffix == ".html" and "download" not in request.query_params:
        page = path.read_text(encoding="utf-8")
        headers = {"content-security-policy": made_policy(page), "x-frame-options": "SAMEORIGIN"}
        return HTMLResponse(page, headers=headers)
    return FileResponse(path, filename=name, content_disposition_type="attachment")
