"""The gallery: a page for every model and every script, written from them, and their thumbnails."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .directives import raw
from .docstrings import paragraphs, text
from .gallery_kinds import MODELS, SCRIPTS, every

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"


def sources() -> dict[str, str]:
    """Which published problem a model or a script is, by the tables of `docs/worked_examples.md`."""
    page = (ROOT / "docs" / "worked_examples.md").read_text("utf-8")
    books = dict(re.findall(r"^\| ([A-F])1 to \w+ \| (.*?) \|$", page, re.MULTILINE))
    rows = re.findall(r"^\| ((?:[A-F]\d+(?:, )?)+) \| (.*?) \| (`\w+`.*?) \|$", page, re.MULTILINE)
    found: dict[str, list[str]] = {}
    for label, problem, names in rows:
        letters = dict.fromkeys(each[0] for each in label.split(", "))
        where = "; ".join(books[letter] for letter in letters)
        for name in re.findall(r"`(\w+)`", names):
            found.setdefault(name, []).append(f"{label}, {problem}: {where}")
    return {name: ". Also ".join(each) for name, each in found.items()}


def told(folder: str, name: str) -> tuple[str, str]:
    """The title and the words of a model or a script."""
    if folder == "models":
        given = tomllib.loads((EXAMPLES / "models" / f"{name}.toml").read_text("utf-8"))
        title = given["name"]
        return title[:1].upper() + title[1:], text(given["description"])
    tree = ast.parse((EXAMPLES / f"{name}.py").read_text("utf-8"))
    first, _, rest = (ast.get_docstring(tree) or "").partition("\n\n")
    return " ".join(first.split()).rstrip("."), paragraphs(rest)


def _head(folder: str, name: str) -> str:
    """Title, words and source."""
    title, words = told(folder, name)
    source = sources().get(name)
    where = f"[Gallery](../index.md), [{folder}](../{folder}.md)"
    head = f"---\nmade: true\norphan: true\n---\n\n# {text(title)}\n\n{where}\n\n{words}\n\n"
    return f"{head}Source: {source}.\n\n" if source else head


def _run(call: str) -> str:
    return (
        f"```{{run}}\n:code: hide\nfrom routh_book import gallery_runs\n\ngallery_runs.{call}\n```\n\n"
    )


def model_page(name: str) -> str:
    """The page of a model: its mechanism, its equations, rests and motion, and the file."""
    file = (EXAMPLES / "models" / f"{name}.toml").read_text("utf-8").rstrip()
    return (
        _head("models", name)
        + _run(f"mechanism({name!r})")
        + "## Equations of motion\n\n" + _run(f"equations({name!r})")
        + "## Where it rests\n\n" + _run(f"rests({name!r})")
        + "## How it moves\n\n" + _run(f"motion({name!r})")
        + f"## The file\n\n`routh examples copy {name}` writes it, `routh report {name}.toml` makes a"
        f" page of all that Routh finds.\n\n```{{model}} {name}.toml\n{file}\n```\n"
    )  # fmt: skip


def script_page(name: str) -> str:
    """The page of a script: what it prints and draws, and its source."""
    return (
        _head("scripts", name) + _run(f"play({name!r})") + f"## The script\n\n`examples/{name}.py`:\n\n"
        f"```{{literalinclude}} ../../../examples/{name}.py\n:language: python\n```\n"
    )


def write_pages(app: Sphinx) -> None:
    """Write the pages of the gallery where they are not what they should be."""
    for folder, kinds, page in (("models", MODELS, model_page), ("scripts", SCRIPTS, script_page)):
        place = Path(app.srcdir) / "gallery" / folder
        place.mkdir(parents=True, exist_ok=True)
        names = every(kinds)
        for old in place.glob("*.md"):
            if old.stem not in names:
                old.unlink()
        for name in names:
            target, content = place / f"{name}.md", page(name)
            if not target.exists() or target.read_text("utf-8") != content:
                target.write_text(content, "utf-8")


class Thumbnails(SphinxDirective):
    """The pictures of one folder of the gallery, kind by kind, each leading to its page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        folder = self.arguments[0]
        kinds = MODELS if folder == "models" else SCRIPTS
        if f"gallery/{folder}/{every(kinds)[0]}" not in self.env.found_docs:  # built without them
            return []
        found: list[nodes.Node] = []
        for kind, names in kinds.items():
            section = nodes.section(ids=[nodes.make_id(f"{folder}-{kind}")])
            section += nodes.title(kind, kind)
            cards = "".join(self._card(folder, name) for name in names.split())
            section += raw(f'<div class="cards">{cards}</div>')
            found.append(section)
        return found

    def _card(self, folder: str, name: str) -> str:
        title, _ = told(folder, name)
        picture = self._picture(folder, name)
        return (
            f'<a class="card" href="{folder}/{name}.html"><span class="paper">{picture}</span>'
            f"<span>{escape(title)}</span></a>"
        )

    def _picture(self, folder: str, name: str) -> str:
        """The first picture of a page, as a file of its own: a page of a hundred is small then."""
        kept = Path(self.env.config.routh_book_kept) / f"gallery__{folder}__{name}.json"
        outcomes = json.loads(kept.read_text("utf-8"))["outcomes"]
        html = "".join(each["value"] + "".join(each["figures"]) for each in outcomes)
        found = re.search(r"<svg\b.*?</svg>", html, re.DOTALL)
        image = re.search(r'src="(data:image/png;base64,[^"]*)"', html)
        if found is None and image is None:
            return ""
        if found is None or (image is not None and image.start() < found.start()):
            return f'<img loading="lazy" alt="" src="{image[1]}">'
        target = Path(self.env.app.outdir) / "_static" / "gallery" / f"{folder}_{name}.svg"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_standing_alone(found[0]), "utf-8")
        return f'<img loading="lazy" alt="" src="../_static/gallery/{target.name}">'


def _standing_alone(svg: str) -> str:
    """SVG of a page as a file: on paper, whatever the page is."""
    opened, _, inside = svg.partition(">")
    if "xmlns=" not in opened:
        opened += ' xmlns="http://www.w3.org/2000/svg"'
    if "xlink:" in inside and "xmlns:xlink" not in opened:
        opened += ' xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f"{opened}>{inside}".replace("currentColor", "#1c2733")
