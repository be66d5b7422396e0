"""Every link of the built site: `python docs/_ext/links.py build/docs`.

Links within the site must lead to a page and, after a `#`, to a place on it; others must be written as
an address. Nothing is fetched. Ends with 1 where one does not.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

OWN = {"", "file"}
KNOWN = {"http", "https", "mailto", "data"}


class Anchors(HTMLParser):
    """The places on a page and the links from it."""

    def __init__(self) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember ids, and what `href` and `src` lead to."""
        for name, value in attrs:
            if name in {"id", "name"} and value:
                self.places.add(value)
            elif (
                name in {"href", "src"} and value and not (tag == "link" and value.startswith("data:"))
            ):
                self.links.append(value)


def read(page: Path) -> Anchors:
    """A page, read."""
    found = Anchors()
    found.feed(page.read_text("utf-8"))
    return found


def broken(root: Path) -> tuple[int, list[str]]:
    """How many links there are, and those that lead nowhere, each with its page."""
    pages = {page.resolve(): read(page) for page in sorted(root.rglob("*.html"))}
    count, lost = 0, []
    for page, own in pages.items():
        for link in own.links:
            count += 1
            if not _leads(link, page, pages):
                lost.append(f"{page.relative_to(root.resolve())}: {link[:200]}")
    return count, lost


def _leads(link: str, page: Path, pages: dict[Path, Anchors]) -> bool:
    parts = urlsplit(link)
    if parts.scheme in KNOWN:
        return parts.scheme not in {"http", "https"} or ("." in parts.netloc and " " not in link)
    if parts.scheme not in OWN:
        return False
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not parts.fragment or target.suffix != ".html":
        return target.exists()
    return target in pages and unquote(parts.fragment) in pages[target].places


def main() -> None:
    """Print the count and what is broken."""
    count, lost = broken(Path(sys.argv[1]))
    print(f"{count} links checked, {len(lost)} lead nowhere")
    for each in lost:
        print(each, file=sys.stderr)
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
