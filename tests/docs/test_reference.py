"""The reference leaves nothing out: public names, tables, functions, verbs and messages."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import routh as rt

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from routh_book.command_pages import app, verbs  # noqa: E402
from routh_book.docstrings import described  # noqa: E402
from routh_book.model_tables import CALLS, parts  # noqa: E402
from routh_book.sentences import rooms  # noqa: E402

REFERENCE = sorted((DOCS / "reference").glob("*.md"))
OF_SYMPY = {"acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "log", "pi", "sin", "sinh", "sqrt",
            "tan", "tanh", "t"}  # fmt: skip
MODULES = {"energies", "models", "results", "__version__"}


def page(name):
    return (DOCS / "reference" / f"{name}.md").read_text("utf-8")


def named():
    """Every name that a page of the reference describes, with its path."""
    found = []
    for path in REFERENCE:
        for of, inside in re.findall(
            r"```\{names\}\n(?::of: (\S+)\n)?(.*?)```", path.read_text("utf-8"), re.DOTALL
        ):
            found += [f"{of or 'routh'}.{name}" for name in inside.split()]
    return found


def test_every_public_name_is_described_once():
    found = named()
    assert len(found) == len(set(found))
    own = {name.removeprefix("routh.") for name in found if name.count(".") == 1}
    assert own == set(rt.__all__) - OF_SYMPY - MODULES
    nouns = {name.rpartition(".")[2] for name in found if name.startswith("routh.results.")}
    assert nouns == set(rt.results.__all__)


@pytest.mark.parametrize(
    "module", ["energies", "models.rigid", "models.tether", "models.winch", "models.kite"]
)
def test_every_function_of_public_modules_is_described(module):
    source = (Path(rt.__file__).parent / f"{module.replace('.', '/')}.py").read_text("utf-8")
    public = set(re.findall(r"^(?:def|class) ([a-zA-Z]\w*)", source, re.MULTILINE))
    told = set(named())
    assert {name for name in public if not {f"routh.{module}.{name}", f"routh.{name}"} & told} == set()


def test_a_description_has_the_signature_the_text_and_the_example():
    text = described("routh.modes")
    assert "routh.modes(linear: routh.results.LinearModel, *, track: bool = False" in text
    assert "-> routh.results.Modes" in text
    assert "`count`\n: how many" in text
    assert "```pycon\n>>> import routh as rt" in text


def test_every_table_of_model_files_stands_on_its_page_with_words_for_every_entry():
    told = re.findall(r"```\{table-of\} (\w+)", page("model_file"))
    assert sorted(told) == sorted(parts())
    for name, part in parts().items():
        assert all(field.description for field in part.model_fields.values()), name


def test_every_function_of_expressions_stands_on_its_page():
    assert sorted(re.findall(r":::\{call\} (\w+)", page("expressions"))) == sorted(CALLS)


def test_every_verb_stands_on_its_page_with_words_for_every_option():
    assert sorted(re.findall(r"```\{verb\} ([\w-]+)", page("command"))) == sorted(verbs())
    for name in verbs():
        every = app[name].assemble_argument_collection(parse_docstring=True)
        assert all(each.parameter.help for each in every if each.show), name


@pytest.mark.parametrize("kind", [rt.Status, rt.Verdict, rt.Kind, rt.results.Reason, rt.results.Region])
def test_every_word_has_its_cause_and_remedy(kind):
    """A new Status fails here until `docs/reference/messages.md` says what it means."""
    of = "routh.results" if kind.__module__.endswith("verdict") and kind is not rt.Verdict else "routh"
    option = "" if kind is rt.Status else rf":of: {of}\.{kind.__name__}\n"
    told = re.findall(rf":::\{{message\}} (\w+)\n{option}(?!:of:)\S", page("messages"))
    assert sorted(told) == sorted(kind.__members__)


def test_sentences_are_collected_from_the_source():
    found = rooms()
    assert sum(map(len, found.values())) > 900
    said = [said for said, _, where in found["language"] if where == "language/declaring.py"]
    assert all(len(each) > 20 for each in said)
    assert any("is no function of the language" in said for said, _, _ in found["files"])
