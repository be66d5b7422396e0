"""What the pages say is run: the code of the README, and the names and files they mention."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import routh

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")] if path.name != "index.md"
)  # the site has its own tests, in tests/docs


def test_the_page_of_code_in_the_readme_runs_and_prints_what_it_says(capsys):
    pieces = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    code = "\n".join(pieces)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    said = capsys.readouterr().out
    for line in re.findall(r"^# (.*)$", code, re.MULTILINE):
        assert line in said
    assert "-0.10695767+2.89577261j" in said
    assert "1 stable, 400 asymptotically stable" in said
    assert "Proven complete" in said
    assert "at omega = 2.859195691" in said


def test_the_words_of_the_sources_lead_somewhere():
    """Each name in the table is a verb, a noun, or an attribute of a noun."""
    page = (ROOT / "docs" / "conventions.md").read_text("utf-8")
    table = page.partition("## Words of the sources")[2].partition("\n## ")[0]
    rows = [row.split(" | ")[-1] for row in table.splitlines() if row.startswith("| ")][1:]
    names = {name for row in rows for name in re.findall(r"`([A-Za-z_.0-9]+)`", row)} - {
        "stabilize",
        "dissipation",
    }
    assert len(rows) > 15
    for name in names:
        noun, _, attribute = name.removeprefix("rt.").partition(".")
        found = getattr(routh, noun, None) or getattr(routh.results, noun)
        fields = getattr(found, "__dataclass_fields__", {})
        assert not attribute or hasattr(found, attribute) or attribute in fields, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target
