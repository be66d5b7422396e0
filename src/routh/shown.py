"""How results get to what a notebook shows of them: the one door from the rooms below up to `display`.

A notebook asks the result itself (`_repr_html_`, `_repr_markdown_`), and how it looks is known in
`display`, above it. So nouns ask here, and the package, which stands above all rooms, has said at its
head (`routh/__init__.py`) who answers. Nothing of `display` is loaded before a notebook asks.
"""

from __future__ import annotations

from collections.abc import Callable

View = Callable[[object], str]

_LOADED_BY: dict[str, Callable[[], View]] = {}


def answered_by(*, html: Callable[[], View], markdown: Callable[[], View]) -> None:
    """Say who answers; what is given loads that when a notebook asks."""
    _LOADED_BY.update(html=html, markdown=markdown)


def as_html(result: object) -> str:
    """What a notebook shows of a result whose point is numbers; nouns have it as `_repr_html_`."""
    return _LOADED_BY["html"]()(result)


def as_markdown(result: object) -> str:
    """What a notebook shows of a result whose point is formulas; nouns have it as `_repr_markdown_`.

    Markdown, since some notebooks set formulas there and not in HTML.
    """
    return _LOADED_BY["markdown"]()(result)
