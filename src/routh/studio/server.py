"""The verb `studio`: binds a port, prints the address, opens a browser, serves until it is stopped."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from routh.errors import DeclarationError, RouthError
from routh.studio.doors import LARGEST_MESSAGE, Doors, is_loopback
from routh.studio.folder import Folder, read_model
from routh.studio.routes import Studio, application
from routh.studio.worker import Limits
from routh.studio.workforce import Crew

PORT = 8421
"""Where a studio is looked for first."""

PORTS_TRIED = 20
"""Ports one after another, where nobody asked for one of them."""


def serve(
    model: Path | None,
    *,
    host: str,
    port: int | None,
    browser: bool,
    memory: float,
    minutes: float,
) -> None:
    """Serve the page until it is stopped.

    Arguments:
        model: a model file to begin with, or a folder of them; None for the present folder.
        host: address to listen at; anything but a loopback address asks for a token.
        port: or None for a free one.
        browser: whether to open it.
        memory: GiB that a worker may have.
        minutes: that an ask may take.
    """
    limits = _limits(memory, minutes)
    folder, file = opened(model)
    with listening(host, port) as listener:
        made = Path(tempfile.mkdtemp(prefix="routh-studio-"))
        try:
            doors = doors_of(host, listener.getsockname()[1])
            studio = Studio(Crew(limits, str(made)), Folder.at(folder), made, file)
            _announce(doors, folder, browser)
            _run(studio, doors, listener)
        finally:
            shutil.rmtree(made, ignore_errors=True)


def _limits(memory: float, minutes: float) -> Limits:
    if not 0.25 <= memory <= 1024:
        raise DeclarationError(f"`--memory` is 0.25 to 1024 GiB for each worker. Got {memory:g}.")
    if not 0.01 <= minutes <= 1440:
        raise DeclarationError(f"`--minutes` is 0.01 to 1440 for each ask. Got {minutes:g}.")
    return Limits(int(memory * 2**30), minutes * 60)


def opened(model: Path | None) -> tuple[Path, dict[str, Any] | None]:
    """The folder of the studio, and the file that it begins with; the page shows its mistakes."""
    if model is None:
        return Path.cwd(), None
    if model.is_dir():
        return model, None
    if not model.parent.is_dir():
        raise DeclarationError(f"There is no folder {str(model.parent)!r}. Make it, or choose another.")
    try:
        text = read_model(model) if model.exists() else ""
        words = "" if model.exists() else f"There is no file {model.name!r} yet; saving makes it."
    except RouthError as error:
        text, words = "", str(error)
    return model.parent, {"path": model.name, "text": text, "remark": words or None}


def listening(host: str, port: int | None) -> socket.socket:
    """A socket that listens at a port: the one asked for, or the first that is free."""
    tried = [port] if port is not None else [*range(PORT, PORT + PORTS_TRIED), 0]
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    reason = ""
    for each in tried:
        listener = socket.socket(kind, socket.SOCK_STREAM)
        try:
            if sys.platform != "win32":  # there it would let two programs have one port
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, each))
            listener.listen(128)
        except (OSError, OverflowError) as error:
            listener.close()
            reason = getattr(error, "strerror", None) or str(error)
            continue
        return listener
    raise DeclarationError(
        f"The studio cannot listen at {host}, port {tried[0]}: {reason}. Choose another `--port`, or"
        " leave it out."
    )


def doors_of(host: str, port: int) -> Doors:
    """The doors of an address: beyond this machine they open with a token that is made now."""
    if is_loopback(host):
        return Doors(host, port)
    names = {"localhost", socket.gethostname().lower(), socket.getfqdn().lower()}
    return Doors(host, port, secrets.token_urlsafe(24), frozenset(names))


def address(doors: Doors) -> str:
    """The address to open."""
    anywhere = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}  # noqa: S104
    host = anywhere.get(doors.host, doors.host)
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{doors.port}/" + (f"?token={doors.token}" if doors.token else "")


def _announce(doors: Doors, folder: Path, browser: bool) -> None:
    where = address(doors)
    print(
        f"Routh Studio is at {where}\nModels are in {folder.resolve()}. Stop with Ctrl-C.", flush=True
    )
    if browser and _has_a_screen():
        threading.Timer(0.3, webbrowser.open, [where]).start()


def _has_a_screen() -> bool:
    """Whether a browser would be seen: one in the terminal is no place for the page."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def configured(app: ASGIApp) -> uvicorn.Config:
    """How the application is served: messages and heads of a bounded size, and an end at once."""
    return uvicorn.Config(
        app,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="websockets-sansio",
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        h11_max_incomplete_event_size=64 * 1024,
        limit_concurrency=500,
        timeout_graceful_shutdown=1,
    )


def _run(studio: Studio, doors: Doors, listener: socket.socket) -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # `kill` is a Ctrl-C from elsewhere
    with suppress(KeyboardInterrupt):
        uvicorn.Server(configured(application(studio, doors))).run(sockets=[listener])
