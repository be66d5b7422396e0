"""Fits: the estimates, how well they are known, and what is left of the data."""

from __future__ import annotations

from routh.analysis.fitting.fit_result import Fit
from routh.display.notebook import html_pieces as page
from routh.display.notebook.html_pieces import Cells, number
from routh.display.notebook.thumbnails import thumbnail
from routh.display.notebook.view_kinds import html_of


@html_of.register
def _(fit: Fit) -> str:
    count = sum(len(c.measured) for c in fit.channels)
    return page.whole(
        page.heading(f"Fit of {fit.system.title} to {count} data"),
        page.said("\n".join(filter(None, [fit.message, fit.remark]))),
        _estimates(fit),
        thumbnail(fit, "residuals in standard deviations"),
        _channels(fit),
    )


def _estimates(fit: Fit) -> str:
    errors, intervals, known = fit.errors, fit.intervals, fit.is_determined

    def row(k: int) -> Cells:
        name = page.prose(fit.names[k])
        if not known[k]:
            return [name, number(fit.x[k]), "not determined", "", ""]
        return [name, *map(number, (fit.x[k], errors[k], *intervals[k]))]

    share = f"{100 * fit.level:g} %"
    head = ["", "estimate", "standard error", f"{share} from", "to"]
    return page.table(head, len(fit.names), row, words=(0,), what="unknowns", rest="`estimates`")


def _channels(fit: Fit) -> str:
    def row(k: int) -> Cells:
        c = fit.channels[k]
        told = "shares of those given" if c.is_known else "estimated"
        own = (fit.residuals[k] / c.weight).std() if c.is_known else fit.scatter[k]
        return [page.prose(c.label), str(len(c.measured)), number(own), told]

    head = ["measured", "data", "scatter", ""]
    return page.table(head, len(fit.channels), row, words=(0, 3), what="columns", rest="`channels`")
