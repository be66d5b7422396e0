"""Links of the site: the check that `make docs` runs, and links between the pages as they are written."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from links import broken  # noqa: E402

PARTS = {"course", "howto", "errata", "verification", "coming_from"}
"""Parts that the front page names before they are written."""

PAGES = sorted(path for path in DOCS.rglob("*.md") if "_ext" not in path.parts)


def test_the_check_counts_links_and_finds_those_that_lead_nowhere(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#here">b</a><a href="b.html#there">x</a><a href="#top">t</a>'
        '<a href="c.html">c</a><img src="p.png"><a href="https://example.org/x">e</a>'
        '<a href="https://no host/">f</a><a href="javascript:void">g</a>',
        "utf-8",
    )
    (tmp_path / "b.html").write_text('<h2 id="here">B</h2>', "utf-8")
    count, lost = broken(tmp_path)
    assert count == 8
    assert lost == [
        "a.html: b.html#there",
        "a.html: c.html",
        "a.html: p.png",
        "a.html: https://no host/",
        "a.html: javascript:void",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links_between_pages_lead_to_files(page):
    text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if target.startswith(("http", "mailto:")) or target.split("/")[0] in PARTS:
            continue
        made = re.match(r"(?:\.\./)*(?:gallery/)?(?:models|scripts)/", target)
        assert made or (page.parent / target).exists(), target
