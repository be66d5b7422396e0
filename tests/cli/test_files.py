"""Files are whole: a full disk, a kill or a missing permission leave the old one as it was."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import routh as rt
from routh import cos, ddt, sin, vector
from routh.disk import is_stream, refuse_unwritable, write_text, written
from routh.errors import WriteError

MODELS = Path(__file__).parents[2] / "examples" / "models"
OLD = "the old text\n"

theta = rt.coordinate("theta")
TIP = vector(sin(theta), -cos(theta))
PENDULUM = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=9.81 * TIP[1])


def film():
    motion = rt.simulate(PENDULUM, {}, {theta: 2}, np.linspace(0, 0.2, 6))
    return rt.animate(motion, points=[TIP], speed=4)  # two frames


WRITERS = {
    "swing.toml": lambda path: rt.save(PENDULUM, path),
    "swing.html": lambda path: film().save(path),
    "page.html": lambda path: rt.report(rt.load(MODELS / "pendulum.toml"), path),
    "page.md": lambda path: rt.report(rt.load(MODELS / "pendulum.toml"), path),
    "page.tex": lambda path: rt.report(rt.load(MODELS / "pendulum.toml"), path),
    "swing.gif": lambda path: film().save(path),
}


@pytest.fixture
def old(tmp_path):
    def made(name):
        path = tmp_path / name
        path.write_text(OLD, encoding="utf-8")
        return path

    return made


def beside(path):
    return sorted(each.name for each in path.parent.iterdir() if each != path)


class FullFile:
    """An open file whose disk is full after so many characters."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self._file.close()

    def __getattr__(self, name):
        return getattr(self._file, name)

    def write(self, what):
        done = self._file.write(what[: self._room])
        self._file.flush()
        if len(what) > self._room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._room -= done
        return done


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in ("page.html", "page.tex")))
        for name in WRITERS
    ],
)
def test_a_disk_that_is_full_midway_leaves_the_old_file(old, monkeypatch, name):
    import builtins

    path = old(name)
    plain, opened = Path.open, builtins.open

    def full(self, mode="r", *rest, **options):
        file = plain(self, mode, *rest, **options)
        return FullFile(file, 20) if "w" in mode else file

    def full_open(file, mode="r", *rest, **options):
        found = opened(file, mode, *rest, **options)
        return FullFile(found, 20) if "w" in mode and ".routh-" in str(file) else found

    monkeypatch.setattr(Path, "open", full)
    monkeypatch.setattr(builtins, "open", full_open)
    with pytest.raises(WriteError, match=r"was not written: No space left on device\. What was there"):
        WRITERS[name](path)
    monkeypatch.undo()
    assert path.read_text(encoding="utf-8") == OLD
    assert beside(path) == []


@pytest.mark.parametrize("name", ["swing.toml", "swing.gif"])
def test_a_disk_that_fails_at_the_end_leaves_the_old_file(old, monkeypatch, name):
    path = old(name)

    def failing(handle):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(WriteError, match="was not written: Input/output error"):
        WRITERS[name](path)
    assert path.read_text(encoding="utf-8") == OLD
    assert beside(path) == []


def half(path, stop):
    with written(path) as place:
        place.write_text("half", encoding="utf-8")
        raise stop


def test_a_file_that_is_new_is_not_left_half_written(tmp_path):
    with pytest.raises(RuntimeError):
        half(tmp_path / "new.txt", RuntimeError)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_while_writing_leaves_the_old_file(old):
    path = old("a.txt")
    with pytest.raises(KeyboardInterrupt):
        half(path, KeyboardInterrupt)
    assert (path.read_text(encoding="utf-8"), beside(path)) == (OLD, [])


HALF = """
import sys
from routh.disk import written
with written(sys.argv[1]) as place, place.open("w", encoding="utf-8") as file:
    file.write("half of the new text " * 100)
    file.flush()
    print("writing", flush=True)
    sys.stdin.readline()  # which nobody writes
"""


def test_a_kill_while_writing_leaves_the_old_file(old):
    path = old("a.txt")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", HALF, path], text=True, **pipes) as run:
        assert run.stdout.readline() == "writing\n"
        run.kill()
    assert run.returncode == -9
    assert path.read_text(encoding="utf-8") == OLD
    (left,) = beside(path)
    assert left.startswith(".routh-")


def test_permissions_are_kept_and_new_files_follow_the_mask(tmp_path):
    path = tmp_path / "a.txt"
    before = os.umask(0o027)
    try:
        write_text(path, "one")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(before)
    path.chmod(0o664)
    write_text(path, "two")
    assert (stat.S_IMODE(path.stat().st_mode), path.read_text(encoding="utf-8")) == (0o664, "two")


def test_links_are_followed(tmp_path):
    (tmp_path / "far").mkdir()
    real, link, second = tmp_path / "far" / "real.txt", tmp_path / "link.txt", tmp_path / "second.txt"
    real.write_text(OLD, encoding="utf-8")
    link.symlink_to("far/real.txt")
    second.symlink_to(link)
    write_text(second, "new")
    assert link.is_symlink()
    assert second.is_symlink()
    assert real.read_text(encoding="utf-8") == "new"
    dangling = tmp_path / "dangling.txt"
    dangling.symlink_to("far/other.txt")
    write_text(dangling, "new")
    assert (tmp_path / "far" / "other.txt").read_text(encoding="utf-8") == "new"
    ring = tmp_path / "ring.txt"
    ring.symlink_to("ring.txt")
    with pytest.raises(rt.DeclarationError, match="a link that leads to itself"):
        write_text(ring, "new")


def test_a_name_as_long_as_names_can_be_is_written(tmp_path):
    path = tmp_path / ("n" * 250 + ".html")
    assert write_text(path, "new").read_text(encoding="utf-8") == "new"


def test_a_folder_that_is_missing_or_a_file_is_a_sentence(tmp_path):
    with pytest.raises(rt.DeclarationError, match=r"There is no folder '.*no' to write 'a.txt' into"):
        write_text(tmp_path / "no" / "a.txt", "")
    with pytest.raises(rt.DeclarationError, match=r"is a folder\. Give the name of a file in it"):
        write_text(tmp_path, "")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(rt.DeclarationError, match="There is no folder"):
        rt.save(PENDULUM, tmp_path / "file" / "a.toml")
    with pytest.raises(rt.DeclarationError, match=r"saved to a path, like .*Got an int"):
        rt.save(PENDULUM, 3)


@pytest.fixture
def unprivileged(monkeypatch):
    """As one to whom the bits of permission apply, whoever runs the tests."""
    if os.geteuid() == 0:
        monkeypatch.setattr(os, "access", lambda path, mode: bool(Path(path).stat().st_mode & 0o222))


@pytest.mark.usefixtures("unprivileged")
def test_what_may_not_be_written_is_a_sentence_and_stays(old):
    path = old("a.html")
    path.chmod(0o444)
    with pytest.raises(WriteError, match=r"'.*a.html' may not be written. Allow it"):
        WRITERS["page.html"](path)
    path.chmod(0o644)
    path.parent.chmod(0o555)
    try:
        with pytest.raises(WriteError, match="Nothing may be written into the folder"):
            WRITERS["page.html"](path)
    finally:
        path.parent.chmod(0o755)
    assert path.read_text(encoding="utf-8") == OLD


def test_a_folder_that_refuses_a_new_file_is_a_sentence(old, monkeypatch):
    path = old("a.txt")

    def refused(*what, **more):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(WriteError, match=r"was not written: Permission denied\. What was there before"):
        write_text(path, "new")
    assert path.read_text(encoding="utf-8") == OLD


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_devices_are_written_as_they_are(tmp_path):
    assert is_stream("/dev/null")
    write_text("/dev/null", "gone")
    link = tmp_path / "full.html"
    link.symlink_to("/dev/full")
    for path in ("/dev/full", link):
        assert is_stream(path)
        with pytest.raises(WriteError, match=r"was not written: No space left on device\.$"):
            write_text(path, "much")
    assert Path("/dev/full").is_char_device()
    assert not is_stream(tmp_path / "none.html")
    refuse_unwritable("/dev/full")


def test_a_pipe_is_written_as_it_is(tmp_path):
    pipe = tmp_path / "pipe.html"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
    write_text(pipe, "through the pipe")
    assert reader.communicate(timeout=600)[0] == "through the pipe"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def routh(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "routh.cli.main", *map(str, words)], text=True, check=False, **options
    )


@pytest.mark.slow
def test_a_report_of_a_model_file_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("routh.display.report.formats.written_report", lambda found, path, *_: path)
    assert rt.report(MODELS / "pendulum.toml") == Path("pendulum.html")
    assert rt.report(str(MODELS / "pendulum.toml"), "page.md") == "page.md"
    with pytest.raises(rt.DeclarationError, match="Say where the report goes"):
        rt.report(rt.load(MODELS / "pendulum.toml"))


def test_a_report_goes_to_standard_output(tmp_path):
    model = MODELS / "pendulum.toml"
    with (tmp_path / "page.html").open("w", encoding="utf-8") as file:
        done = routh("report", model, "-o", "/dev/stdout", stdout=file, stderr=subprocess.PIPE)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "The report is in /dev/stdout\n")
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_to_a_full_disk_is_a_sentence_and_a_code():
    model = MODELS / "pendulum.toml"
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = routh("modes", model, "--json", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr == "The output was not written: No space left on device.\n"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_report_to_a_full_disk_is_a_sentence_and_a_code(tmp_path):
    page = tmp_path / "page.html"
    page.symlink_to("/dev/full")
    done = routh("report", MODELS / "pendulum.toml", "-o", page, capture_output=True)
    assert done.returncode == 1
    assert "was not written: No space left on device." in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_a_report_that_is_killed_leaves_the_old_page(old, seed):
    path = old("page.html")
    model = MODELS / "double_pendulum.toml"
    words = [sys.executable, "-m", "routh.cli.main", "report", str(model), "-o", str(path)]
    run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5 + 1.5 * seed)
    run.kill()
    run.wait()
    text = path.read_text(encoding="utf-8")
    assert text == OLD or text.rstrip().endswith("</html>")
