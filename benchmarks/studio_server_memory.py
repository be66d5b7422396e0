"""What Routh Studio keeps in memory: after 500 edits of one model, and with ten models open for long.

    python benchmarks/studio_server_memory.py [edits] [rounds]

A real `routh studio` is started and edited over its socket as a page does it: each edit is a new text
that is read, drawn and linearized, and every eleventh one is searched for equilibria and moved. The ten
models take turns, so that 60 rounds are 600 edits: as many as a person makes in an hour, one each six
seconds. Memory is the proportional share (PSS) of the server and of all its processes: what forked ones
have in common counts once. The first look is taken after a fifth of the edits, when the crew is
complete. Afterwards the server may grow by a tenth, since a desk keeps its last four answers of up to
200 kB each, and all of it by a fifth: pages that forked workers share part as they are written to, and
a worker forgets what it knew only after 32 texts, as many as the seldom asked have not met yet.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from websockets.sync.client import ClientConnection, connect

MODELS = Path(__file__).parents[1] / "examples" / "models"
TEN = (
    "double_pendulum", "pendulum", "bead_on_hoop", "cart_pole", "quarter_car", "elastic_pendulum",
    "spherical_pendulum", "turning_table", "cartesian_pendulum", "watt_governor",
)  # fmt: skip
LOOKS = 5
"""How often memory is looked at."""

ALLOWED = (1.1, 1.2)
"""Growth after the first look, of the server and of all."""


class Page:
    """A page at its desk, which edits one model."""

    def __init__(self, port: int, name: str) -> None:
        origin = f"http://127.0.0.1:{port}"
        self._line: ClientConnection = connect(
            f"ws://127.0.0.1:{port}/desk?desk=memory-{name}", origin=origin, max_size=None, proxy=None,
            compression=None,
        ).__enter__()  # fmt: skip
        self._line.recv()
        self._n = 0
        self._text = (MODELS / f"{name}.toml").read_text(encoding="utf-8")

    def edit(self, k: int) -> float:
        """One edit and all that a page asks about it; the seconds until everything is there."""
        text = f"{self._text}\n# edit {k}\n".replace("9.81", f"9.8{k % 10}{k}")
        began = time.perf_counter()
        self._ask("read", text)
        self._ask("live", text)
        self._ask("picture", text)
        if k % 11 == 0:  # so that each of ten has its turn
            self._ask("rests", text)
            self._ask("motion", text)
        return time.perf_counter() - began

    def _ask(self, kind: str, text: str) -> None:
        self._n += 1
        self._line.send(json.dumps({"n": self._n, "ask": kind, "about": {"text": text, "values": {}}}))
        while True:
            said = json.loads(self._line.recv(300))
            if said.get("n") == self._n and said["say"] not in ("part", "progress"):
                break
        if said["say"] == "stopped":
            raise SystemExit(f"{kind}: {said['sentence']}")

    def close(self) -> None:
        self._line.close()


def family(pid: int) -> list[int]:
    """A process and all below it."""
    found, below = [pid], [pid]
    while below:
        for task in Path(f"/proc/{below.pop()}/task").glob("*"):
            children = [int(each) for each in (task / "children").read_text().split()]
            found += children
            below += children
    return found


def megabytes(pid: int) -> float:
    """The proportional share of a process in memory."""
    try:
        shares = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0.0
    found = re.search(r"^Pss:\s+(\d+) kB", shares, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def look(pid: int, done: int, seconds: list[float]) -> tuple[float, float]:
    """Print and give the memory of the server and of everything."""
    every = family(pid)
    server, whole = megabytes(pid), sum(megabytes(each) for each in every)
    files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    middle = sorted(seconds)[len(seconds) // 2] * 1000
    print(
        f"  {done:5} edits: server {server:6.1f} MB, all {whole:7.1f} MB in {len(every)} processes,"
        f" {files} open files, median edit {middle:.0f} ms"
    )
    return server, whole


def edited(pid: int, pages: list[Page], edits: int) -> None:
    """Edit in turns, look now and then, and say whether anything grew."""
    looks: list[tuple[float, float]] = []
    seconds: list[float] = []
    for k in range(1, edits + 1):
        seconds.append(pages[k % len(pages)].edit(k))
        if k % (edits // LOOKS) == 0:
            looks.append(look(pid, k, seconds))
    grown = [max(after) / before for before, *after in zip(*looks, strict=True)]
    print(f"  growth after the first look: server {grown[0]:.2f}, all {grown[1]:.2f}")
    if any(ratio > most for ratio, most in zip(grown, ALLOWED, strict=True)):
        raise SystemExit("Memory has grown.")


def main() -> None:
    edits = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    command = [sys.executable, "-m", "routh", "studio", "--no-browser", str(MODELS)]
    quiet = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=quiet) as studio:
        try:
            port = int(re.search(r":(\d+)/", studio.stdout.readline())[1])
            print(f"{edits} edits of one model")
            page = Page(port, "double_pendulum")
            edited(studio.pid, [page], edits)
            page.close()
            print(f"ten models open, {rounds} rounds")
            edited(studio.pid, [Page(port, name) for name in TEN], rounds * len(TEN))
        finally:
            studio.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
