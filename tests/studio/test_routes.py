"""A studio as a page meets it: real workers, a real socket, and whatever a person or a text may do."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hard_asks import hard_shift
from visiting import Page, served

from routh.files.calls import CALLS
from routh.files.examples import example_names
from routh.studio.doors import Doors
from routh.studio.folder import Folder
from routh.studio.library import FUNCTIONS
from routh.studio.routes import MOST_MADE, Studio
from routh.studio.worker import Limits
from routh.studio.workforce import Crew

PENDULUM = (Path(__file__).parents[2] / "examples" / "models" / "pendulum.toml").read_text()


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    (folder / "models").mkdir()
    (folder / "models" / "swing.toml").write_text(PENDULUM)
    crew = Crew(Limits(600_000_000, 60.0), str(folder / "made"), hard_shift)
    studio = Studio(crew, Folder.at(folder / "models"), folder / "made", {"path": "x", "text": ""})
    with served(studio, Doors("127.0.0.1", 8421)) as visitor:
        visitor.studio = studio
        yield visitor


@pytest.fixture
def page(visitor, request):
    with visitor.socket(f"desk-{abs(hash(request.node.name))}") as line:
        yield Page(line)


def test_a_page_is_greeted_with_what_it_starts_from(page):
    hello = page.hello
    assert {each["name"] for each in hello["examples"]} == set(example_names())
    assert {each["name"] for each in hello["functions"]} == set(CALLS) == set(FUNCTIONS)
    assert hello["schema"]["properties"]["energy"]
    assert hello["limits"] == {"memory": 600_000_000, "seconds": 60.0, "text": 1_000_000}
    assert hello["file"] == {"path": "x", "text": ""}
    assert page.ask(1, "hello")["answer"] == hello


def test_files_are_opened_and_saved_over_the_socket(page, visitor):
    assert page.ask(1, "files")["answer"] == {"files": ["swing.toml"]}
    assert page.ask(2, "open", path="swing.toml")["answer"]["text"] == PENDULUM
    assert page.ask(3, "save", path="own.toml", text="x = 1\n")["answer"] == {"path": "own.toml"}
    assert "is there already" in page.ask(4, "save", path="own.toml", text="")["sentence"]
    assert page.ask(5, "open", path="../x.toml")["say"] == "refused"
    assert page.ask(6, "save", path="/tmp/x.toml", text="")["say"] == "refused"
    (visitor.studio.folder.root / "own.toml").unlink()
    assert page.ask(7, "example", name="pendulum")["answer"]["text"] == PENDULUM
    assert "Did you mean `pendulum`?" in page.ask(8, "example", name="pendulun")["sentence"]
    assert page.ask(9, "example", name="../pendulum")["say"] == "refused"
    assert page.ask(10, "example")["say"] == "refused"


def test_a_model_is_read_and_a_mistake_has_its_place(page):
    assert page.ask(1, "read", text=PENDULUM)["answer"]["name"] == "pendulum"
    wrong = PENDULUM.replace("cos(", "cso(", 1)
    said = page.ask(2, "read", text=wrong)
    lines = wrong.splitlines()
    line = next(k for k, each in enumerate(lines, 1) if "cso(" in each)
    assert said["say"] == "refused"
    assert said["place"]["line"] == line
    assert lines[line - 1][said["place"]["column"] - 1 :].startswith("cso(")


HOSTILE = {
    "one long line": "x" * 1_000_000,
    "a million brackets": "[" * 1_000_000,
    "a nest of lists": f"x = {'[' * 50_000}{']' * 50_000}\n",
    "a nest of tables": "x = " + "{a = " * 20_000 + "1" + "}" * 20_000 + "\n",
    "a nest in an energy": f'[energy]\nkinetic = "{"(" * 9_000}1{")" * 9_000}"\n',
    "many keys": "".join(f"k{n} = {n}\n" for n in range(60_000)),
    "many parameters": "[parameters]\n" + "".join(f"k{n} = {n}\n" for n in range(40_000)),
    "a tower of powers": '[coordinates]\nx = {}\n[energy]\nkinetic = "9^9^9^9^9*x\'^2"\n',
    "a name of Python": "[energy]\nkinetic = \"__import__('os').system('true')\"\n",
    "a huge number": f"x = {'9' * 900_000}\n",
    "an entity bomb": '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><robot>&b;</robot>\n',
    "zeros": "\x00" * 1000 + "\n",
    "a lone surrogate": "x = '\ud800'\n",
    "a path": "/etc/passwd",
    "the path of a file": "pyproject.toml",
    "nothing": "",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_refused_in_a_sentence(page, text):
    said = page.ask(1, "read", text=text)
    assert said["say"] == "refused", said
    assert len(said["sentence"]) < 5000
    assert page.ask(2, "read", text=PENDULUM)["say"] == "answer"


def test_a_model_of_a_million_characters_is_read(page):
    padding = "# " + "x" * 97 + "\n"
    text = PENDULUM + padding * ((1_000_000 - len(PENDULUM)) // len(padding))
    assert page.ask(1, "read", text=text)["answer"]["name"] == "pendulum"


def test_typing_on_ends_what_the_old_text_began(page):
    page.send(1, "spin", text=PENDULUM)
    assert page.next()["say"] == "progress"
    assert page.ask(2, "read", text=PENDULUM + "\n")["say"] == "answer"
    assert page.last(1)["why"] == "text"


def test_an_endless_ask_is_cancelled_while_others_are_answered(page):
    page.send(1, "spin")
    assert page.next()["words"] == "spinning"
    assert page.ask(2, "live", word="meanwhile")["answer"]["echo"] == "meanwhile"
    page.line.send(json.dumps({"ask": "cancel", "about": {"n": 1}}))
    assert page.last(1)["why"] == "cancelled"


def test_of_many_moves_of_a_slider_the_last_is_answered(page):
    for n in range(1, 201):
        page.send(n, "live", word=n)
    assert page.last(200)["answer"]["echo"] == 200
    every = [page.last(n) for n in range(1, 201)]
    assert all(each.get("why") == "superseded" or each["answer"]["echo"] == each["n"] for each in every)


def test_work_goes_on_while_a_page_is_away_and_its_answer_is_delivered(visitor):
    with visitor.socket("a-page-that-leaves") as line:
        page = Page(line)
        page.send(1, "held", seconds=0.5)
        page.send(2, "parts")
        page.last(2)
    time.sleep(1.0)
    with visitor.socket("a-page-that-leaves") as line:
        assert Page(line).last(1)["answer"]["pid"]


def test_a_page_that_asks_again_after_a_loss_gets_one_answer(visitor):
    with visitor.socket("a-page-that-asks-again") as line:
        Page(line).send(1, "held", seconds=0.5)
    with visitor.socket("a-page-that-asks-again") as line:
        page = Page(line)
        page.send(1, "held", seconds=0.5)
        first = page.last(1)
        page.send(2, "echo")
        page.last(2)
        assert [each for each in page.heard if each.get("n") == 1] == [first]


def test_two_pages_have_two_desks(visitor):
    with visitor.socket("desk-number-one") as one, visitor.socket("desk-number-two") as two:
        first, second = Page(one), Page(two)
        first.send(1, "spin")
        second.send(1, "echo", word="second")
        assert second.last(1)["answer"] | {"pid": 0} == {
            "echo": "second",
            "desk": "desk-number-two",
            "pid": 0,
        }
        first.line.send(json.dumps({"ask": "cancel", "about": {"n": 1}}))
        assert first.last(1)["why"] == "cancelled"


@pytest.mark.parametrize("kind", ["hoard", "crash", "leave"])
def test_the_server_outlives_what_kills_a_worker(page, visitor, kind):
    said = page.ask(1, kind)
    assert said["say"] == "stopped"
    assert page.ask(2, "echo", word="here")["answer"]["echo"] == "here"
    assert visitor.get("/").status == 200


def test_files_that_are_made_are_fetched_and_the_oldest_go(page, visitor):
    urls = [
        page.ask(n, "export", name=f"file {n}.txt", content="x" * n)["answer"] for n in range(1, 31)
    ]
    assert urls[0]["name"] == "file_1.txt"
    assert [each["size"] for each in urls] == list(range(1, 31))
    answers = [visitor.get(each["url"]) for each in urls]
    assert [each.status for each in answers[-MOST_MADE:]] == [200] * MOST_MADE
    assert {each.status for each in answers[:-MOST_MADE]} == {404}
    assert answers[-1].text == "x" * 30
    assert answers[-1].headers["content-disposition"].startswith("attachment")
