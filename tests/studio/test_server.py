"""The verb `routh studio`: its address, its end, and what is left of it afterwards, which is nothing."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from visiting import Page, Visitor

from routh.cli.verbs_of_studio import studio
from routh.errors import DeclarationError, MissingExtra
from routh.studio import server
from routh.studio.doors import Doors

ROOT = Path(__file__).parents[2]
PENDULUM = ROOT / "examples" / "models" / "pendulum.toml"


@contextmanager
def started(*words, at):
    """The command, its visitor and what it has said."""
    command = [sys.executable, "-m", "routh", "studio", "--no-browser", *map(str, words)]
    own = {"PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(at), "PYTHONDONTWRITEBYTECODE": ""}
    environment = os.environ | own  # what is imported often is compiled once
    process = subprocess.Popen(
        command, cwd=at, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        said = process.stdout.readline()
        found = re.search(r"http://([^:]+):(\d+)/(?:\?token=(\S+))?", said)
        assert found, said + process.stdout.read()
        process.visitor = Visitor(int(found[2]), f"{found[1]}:{found[2]}")
        process.token = found[3]
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def children(pid):
    """Every process below one."""
    found, below = [], [pid]
    while below:
        one = below.pop()
        for task in Path(f"/proc/{one}/task").glob("*"):
            new = [int(each) for each in (task / "children").read_text().split()]
            found += new
            below += new
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pids, seconds=20):
    end = time.monotonic() + seconds
    while any(alive(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(alive(pid) for pid in pids)


def left_over(folder):
    return list(folder.glob("routh-studio-*"))


@pytest.mark.slow
def test_a_studio_is_stopped_and_started_and_its_page_goes_on(tmp_path):
    (tmp_path / "swing.toml").write_text(PENDULUM.read_text())
    with started("swing.toml", at=tmp_path) as first:
        visitor = first.visitor
        assert visitor.get("/").status == 200
        assert len(left_over(tmp_path)) == 1
        with visitor.socket() as line:
            page = Page(line)
            assert page.hello["file"] == {
                "path": "swing.toml",
                "text": PENDULUM.read_text(),
                "remark": None,
            }
            assert page.ask(1, "read", text=PENDULUM.read_text())["answer"]["name"] == "pendulum"
            workers = children(first.pid)
            assert len(workers) >= 3
            first.send_signal(signal.SIGINT)
            assert first.wait(10) == 0
        assert "Traceback" not in first.stdout.read()
        assert gone(workers)
    assert left_over(tmp_path) == []
    with started("swing.toml", "--port", visitor.port, at=tmp_path) as second:
        assert second.visitor.port == visitor.port
        with second.visitor.socket() as line:  # the desk of the same name is a new one
            assert Page(line).ask(2, "read", text=PENDULUM.read_text())["say"] == "answer"
        second.send_signal(signal.SIGTERM)
        second.wait(10)
    assert left_over(tmp_path) == []


def test_a_studio_that_is_killed_leaves_no_worker_behind(tmp_path):
    with started(at=tmp_path) as studio, studio.visitor.socket() as line:
        page = Page(line)
        page.send(1, "motion", text=PENDULUM.read_text(), until=1e9)
        page.ask(2, "read", text=PENDULUM.read_text())
        workers = children(studio.pid)
        assert len(workers) >= 3
        studio.kill()
        studio.wait()
        assert gone(workers)


@pytest.mark.slow
def test_beyond_this_machine_the_printed_address_has_a_token(tmp_path):
    with started("--host", "0.0.0.0", at=tmp_path) as studio:
        visitor = studio.visitor
        assert len(studio.token) >= 24
        assert visitor.get("/").status == 401
        visitor.cookie = visitor.get(f"/?token={studio.token}").headers["set-cookie"].partition(";")[0]
        assert visitor.get("/").status == 200
        with visitor.socket() as line:
            assert Page(line).hello["version"]


@pytest.mark.slow
def test_a_file_that_is_missing_or_broken_is_opened_with_what_is_wrong(tmp_path):
    (tmp_path / "broken.toml").write_text("[[[")
    with started("broken.toml", at=tmp_path) as studio, studio.visitor.socket() as line:
        page = Page(line)
        assert page.hello["file"]["text"] == "[[["
        assert page.ask(1, "read", text="[[[")["place"]["line"] == 1


def test_the_file_to_begin_with(tmp_path):
    (tmp_path / "raw.toml").write_bytes(b"\xff")
    assert server.opened(None) == (Path.cwd(), None)
    assert server.opened(tmp_path) == (tmp_path, None)
    folder, file = server.opened(tmp_path / "new.toml")
    assert folder == tmp_path
    assert file == {
        "path": "new.toml",
        "text": "",
        "remark": "There is no file 'new.toml' yet; saving makes it.",
    }
    assert server.opened(tmp_path / "raw.toml")[1]["remark"] == "'raw.toml' is no text in UTF-8."
    with pytest.raises(DeclarationError, match="There is no folder"):
        server.opened(tmp_path / "nowhere" / "new.toml")


def test_a_port_that_is_taken_is_left_alone():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            DeclarationError, match=rf"cannot listen at 127.0.0.1, port {port}: .*`--port`"
        ):
            server.listening("127.0.0.1", port)
    for port in (-1, 70_000):
        with pytest.raises(DeclarationError, match="Choose another `--port`"):
            server.listening("127.0.0.1", port)
    with pytest.raises(DeclarationError, match=r"cannot listen at nowhere\.invalid"):
        server.listening("nowhere.invalid", None)
    with server.listening("127.0.0.1", None) as one, server.listening("127.0.0.1", None) as two:
        assert one.getsockname()[1] != two.getsockname()[1]


@pytest.mark.parametrize("words", [{"memory": 0.0}, {"minutes": -1.0}, {"memory": float("nan")}])
def test_limits_that_are_none_are_refused(words):
    with pytest.raises(DeclarationError, match="`--m"):
        server.serve(
            None, host="127.0.0.1", port=None, browser=False, **{"memory": 1.0, "minutes": 1.0} | words
        )


def test_only_beyond_this_machine_there_is_a_token():
    for host in ("127.0.0.1", "localhost", "::1", "127.0.0.2"):
        assert server.doors_of(host, 1) == Doors(host, 1)
    one, two = server.doors_of("0.0.0.0", 1), server.doors_of("192.168.1.2", 1)
    assert len(one.token) >= 24
    assert one.token != two.token
    assert server.address(two) == f"http://192.168.1.2:1/?token={two.token}"
    assert server.address(Doors("::1", 8421)) == "http://[::1]:8421/"


def test_without_its_packages_the_studio_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "routh.studio.server", raising=False)
    with pytest.raises(MissingExtra, match=r'pip install "routh\[studio\]"'):
        studio()


def test_the_command_and_its_help_load_no_server():
    code = "import sys; from routh.cli.main import app; app(['studio', '--help'], result_action='return_value')"
    check = "; print('loaded', sorted({'starlette', 'uvicorn', 'sympy', 'casadi'} & set(sys.modules)))"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code + check],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert "--no-browser" in done.stdout
    assert "loaded []" in done.stdout
