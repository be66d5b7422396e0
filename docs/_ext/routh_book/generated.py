"""Directives that write a part of the reference from the library itself."""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from .command_pages import verb
from .docstrings import described, found, text
from .model_tables import call, other_names, table_of
from .sentences import page


class Names(SphinxDirective):
    """Public names with their signatures, docstrings and examples; `of` is where they are."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"of": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        within = self.options.get("of", "routh")
        names = " ".join(self.content).split()
        return self.parse_text_to_nodes("\n\n".join(described(f"{within}.{name}") for name in names))


class Written(SphinxDirective):
    """A directive with one argument that becomes Markdown."""

    required_arguments = 1

    @staticmethod
    def written(argument: str) -> str:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(self.written(self.arguments[0]))


class Table(Written):
    """A table of model files, by its class in the schema."""

    written = staticmethod(table_of)


class Verb(Written):
    """A verb of the command."""

    written = staticmethod(verb)


class Call(SphinxDirective):
    """A function of expressions: how it is called, then what it gives, in the words of the page."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        whole = nodes.container(classes=["call"])
        whole += self.parse_text_to_nodes(call(name))
        self.state.nested_parse(self.content, self.content_offset, whole)
        whole["ids"].append(f"call-{name}")
        return [_indexed(f"{name}()", whole), whole]


class Message(SphinxDirective):
    """A word of an enumeration with its sentence: `STALLED`, then cause and remedy by the page."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"of": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        kind, name = self.options.get("of", "routh.Status"), self.arguments[0]
        value = found(kind)[name].value
        said = value[-1] if isinstance(value, tuple) else value
        whole = nodes.container(classes=["message"])
        whole += self.parse_text_to_nodes(f"**`{name}`** *{text(str(said))}*")
        self.state.nested_parse(self.content, self.content_offset, whole)
        word = kind.rpartition(".")[2]
        whole["ids"].append(f"{word.lower()}-{name.lower().replace('_', '-')}")
        return [_indexed(name, whole), whole]


def _indexed(words: str, target: nodes.Element) -> addnodes.index:
    """An entry of the index: the search finds those that are hardly longer than what is looked for."""
    return addnodes.index(entries=[("single", words, target["ids"][0], "main", None)])


class Sentences(SphinxDirective):
    """Every sentence of a refusal, room by room."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(page(), allow_section_headings=True)


class OtherNames(SphinxDirective):
    """How functions are spelt elsewhere."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(other_names())


EVERY = {
    "names": Names, "table-of": Table, "verb": Verb, "call": Call, "message": Message,
    "sentences": Sentences, "other-names": OtherNames,
}  # fmt: skip
