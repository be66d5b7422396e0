"""The directives of authors, as nodes of Sphinx: code, and what was kept of carrying it out."""

from __future__ import annotations

from html import escape
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from .markup import printed

HIDE = "hide"


class Executed(SphinxDirective):
    """A directive whose outcome is kept: the next of its page."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def outcome(self) -> dict[str, Any]:
        """The outcome of this cell."""
        seen = self.env.temp_data.setdefault("routh_book_cells", 0)
        self.env.temp_data["routh_book_cells"] = seen + 1
        found = self.env.app.routh_book.get(self.env.docname, [])  # type: ignore[attr-defined]
        code = "\n".join(self.content).strip()
        if seen >= len(found) or found[seen]["code"].strip() != code:
            raise ExtensionError(
                f"{self.env.docname}, line {self.lineno}: this cell was not read as one of the page."
                " Is it within a directive that `routh_book.cells` does not look into?"
            )
        return found[seen]

    def literal(self, text: str, language: str, *kinds: str) -> nodes.literal_block:
        """Code in its colours."""
        block = nodes.literal_block(text, text, language=language, classes=list(kinds))
        self.set_source_info(block)
        return block


class Run(Executed):
    """Python: the code, what was printed, the last value, figures."""

    option_spec: ClassVar[dict[str, Any]] = {
        "code": directives.unchanged,
        "result": directives.unchanged,
        "raises": directives.unchanged_required,
        "figure": directives.unchanged_required,
        "fold": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        done = self.outcome()
        whole = nodes.container(classes=["run"])
        if self.options.get("code") != HIDE:
            code = self.literal("\n".join(self.content), "python", "code")
            fold = self.options.get("fold")
            whole += folded(fold, [code], "folded-code") if fold else [code]
        if self.options.get("result") != HIDE:
            html = (
                printed(done["printed"]) + done["value"] + "".join(done["figures"])
                + printed(done["refused"], "output refused")
            )  # fmt: skip
            if html:
                whole += raw(f'<div class="result">{html}</div>')
        return [whole]


class Check(Executed):
    """Python that is carried out and shown nowhere."""

    def run(self) -> list[nodes.Node]:
        self.outcome()
        return []


class Model(Executed):
    """A model file, with its name above."""

    required_arguments = 1
    optional_arguments = 0

    def run(self) -> list[nodes.Node]:
        self.outcome()
        block = self.literal("\n".join(self.content), "toml", "model")
        whole = nodes.container(classes=["model-file"])
        whole += raw(f'<div class="file-name">{escape(self.arguments[0])}</div>')
        whole += block
        return [whole]


class Terminal(Executed):
    """Commands with what they print."""

    option_spec: ClassVar[dict[str, Any]] = {"code": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        return [raw(printed(self.outcome()["printed"], "terminal"))]


class Exercise(SphinxDirective):
    """A task, numbered on its page."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        number = self.env.temp_data.get("routh_book_exercise", 0) + 1
        self.env.temp_data["routh_book_exercise"] = number
        title = f". {self.arguments[0]}" if self.arguments else ""
        whole = nodes.container(classes=["exercise"], ids=[f"exercise-{number}"])
        head = nodes.paragraph(classes=["exercise-title"])
        parsed, _ = self.state.inline_text(f"Exercise {number}{title}", self.lineno)
        head += nodes.strong("", "", *parsed)
        whole += head
        self.state.nested_parse(self.content, self.content_offset, whole)
        return [whole]


class Solution(SphinxDirective):
    """What is folded until a reader asks for it."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        inside = nodes.container(classes=["solution-inside"])
        self.state.nested_parse(self.content, self.content_offset, inside)
        title = self.arguments[0] if self.arguments else "Solution"
        return folded(title, [inside], "solution")


def folded(title: str, inside: list[nodes.Node], kind: str) -> list[nodes.Node]:
    """Nodes behind a title."""
    head = f'<details class="{kind}"><summary>{escape(title)}</summary>'
    return [raw(head), *inside, raw("</details>")]


def raw(html: str) -> nodes.raw:
    """HTML as it is."""
    return nodes.raw("", html, format="html")
