"""Outcomes of pages, kept between builds: `python -m routh_book.keeping KEPT ROOT PAGE ...`.

What is kept counts as long as the cells of a page, the library and this package are what they were.
Pages are carried out in two processes, each page in a fresh one that has the library loaded already.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import Any

from .cells import Page, read_page

PROCESSES = 2
ROOT = Path(__file__).parents[3]
_READ = ("src/routh", "examples")
_OWN = ("executing", "figures", "gallery_drawings", "gallery_runs", "markup")
_KINDS = {".py", ".pyi", ".toml", ".html", ".js", ".css", ".csv"}


@cache
def tree() -> str:
    """The library and what carries pages out, as one number."""
    files = [path for part in _READ for path in sorted((ROOT / part).rglob("*"))]
    digest = hashlib.sha256()
    for path in [*files, *(Path(__file__).with_name(f"{name}.py") for name in _OWN)]:
        if path.suffix in _KINDS and "__pycache__" not in path.parts:
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def key_of(page: Page) -> str:
    """What the outcomes of a page depend on, as one number."""
    cells = [(c.kind, c.argument, sorted(c.options.items()), c.code) for c in page.cells]
    return hashlib.sha256((tree() + json.dumps(cells)).encode()).hexdigest()


def kept_at(folder: Path, page: Page, root: Path) -> Path:
    """Where the outcomes of a page are kept."""
    name = "__".join(page.path.relative_to(root).with_suffix("").parts)
    return folder / f"{name}.json"


def kept(folder: Path, page: Page, root: Path) -> list[dict[str, Any]] | None:
    """The outcomes of a page, or None if they are those of another text or library."""
    try:
        found = json.loads(kept_at(folder, page, root).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found["outcomes"] if found["key"] == key_of(page) else None


def make(folder: Path, root: Path, pages: list[Page]) -> list[str]:
    """Carry out the pages whose outcomes are not kept; what failed is told, page by page."""
    lacking = [page for page in pages if kept(folder, page, root) is None]
    if not lacking:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    how = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
    context = get_context(how)
    if how == "forkserver":
        context.set_forkserver_preload(["routh_book.loaded"])
    failed: list[str] = []
    with ProcessPoolExecutor(PROCESSES, mp_context=context, max_tasks_per_child=1) as pool:
        tasks = [pool.submit(_made, folder, root, page.path) for page in sorted(lacking, key=_first)]
        for k, task in enumerate(as_completed(tasks), 1):
            name, seconds, message = task.result()
            ended = " FAILED" if message else ""
            print(f"[{k}/{len(tasks)}] {name} {seconds:.1f} s of a core{ended}", flush=True)
            if message:
                failed.append(message)
    return failed


def _first(page: Page) -> tuple[bool, str]:
    """Those that take long begin."""
    return (not page.slow, str(page.path))


def _made(folder: Path, root: Path, path: Path) -> tuple[str, float, str]:
    from .executing import PageError, as_json, execute  # noqa: PLC0415  # in the process that needs it

    begun = time.process_time()
    page = read_page(path)
    try:
        done = as_json(execute(page))
    except PageError as error:
        return str(path.relative_to(root)), time.process_time() - begun, str(error)
    target = kept_at(folder, page, root)
    beside = target.with_suffix(f".{os.getpid()}")
    beside.write_text(json.dumps({"key": key_of(page), "outcomes": done}), "utf-8")
    beside.replace(target)
    return str(path.relative_to(root)), time.process_time() - begun, ""


def main() -> None:
    """Carry out what lacks; end with 1 and the reasons where a page failed."""
    folder, root, *paths = map(Path, sys.argv[1:])
    failed = make(folder, root, [read_page(path) for path in paths])
    for message in failed:
        print(message, file=sys.stderr)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
