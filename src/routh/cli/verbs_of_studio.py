"""The verb that opens the page where a model is written, moved and understood."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from routh.cli.app import app
from routh.errors import needing


@app.command
def studio(
    model: Annotated[Path | None, Parameter(help="A model file to begin with, or a folder")] = None,
    *,
    host: Annotated[str, Parameter(help="The address to listen at")] = "127.0.0.1",
    port: Annotated[int | None, Parameter(help="The port; the next free one if not given")] = None,
    browser: Annotated[bool, Parameter(negative="--no-browser", help="Open a browser")] = True,
    memory: Annotated[float, Parameter(help="GiB that a worker process may have")] = 2.0,
    minutes: Annotated[float, Parameter(help="Time that one computation may take")] = 2.0,
) -> None:
    """Open a page on this machine where a model is written, moved and understood.

    Models of the folder of the file (or of the present one) are opened and saved; nothing else is
    reached from the page. With a `--host` other than this machine the address has a token in it.

    Example: routh studio swing.toml
    """
    with needing("studio", "starlette", "The studio needs a small server"):
        from routh.studio.server import serve
    serve(model, host=host, port=port, browser=browser, memory=memory, minutes=minutes)
