"""What people wrote, in the title or the sentences of a chapter, is text and nothing else."""

from __future__ import annotations

import pytest

from routh.mechanics.forms.chapter import chapter

SAID = r"<b>x_1</b> & 50 % of $a^2$ ~ {\input} #1 *!*"


def written(words):
    return chapter(words, [(words, [words])])


def test_latex_takes_words_as_they_are():
    lines = written(SAID).latex().splitlines()
    inside = r"\textless{}b\textgreater{}x\_1\textless{}/b\textgreater{} \& 50 \% of \$a\^{}2\$ \~{} "
    inside += r"\{\textbackslash{}input\} \#1 *!*"
    assert lines == [rf"\section*{{{inside}}}", rf"\subsection*{{{inside}}}", inside]


def test_markdown_takes_words_as_they_are():
    inside = r"\<b\>x\_1\</b\> \& 50 % of \$a\^2\$ \~ \{\\input\} \#1 \*\!\*"
    assert written(SAID).markdown().split("\n\n") == [f"## {inside}", f"### {inside}", inside]


def test_a_line_of_its_own_begins_nothing():
    said = "one\n\n# two\n\n- three"
    assert written(said).markdown().splitlines()[-1] == r"one \# two - three"
    assert written(said).latex().splitlines()[-1] == r"one \# two - three"


def test_names_in_backticks_are_code():
    assert written("see `x_1`.").latex().splitlines()[-1] == r"see \texttt{x\_1}."
    assert written("see `x_1`.").markdown().splitlines()[-1] == "see `x_1`."


@pytest.mark.parametrize("words", ["a ` b", "`a` b ` c_d"])
def test_a_backtick_alone_is_no_code(words):
    assert "texttt" not in written(words).latex()
    assert written(words).markdown().splitlines()[-1].count(r"\`") == words.count("`")
