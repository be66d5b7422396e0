"""Pictures of studies: curves over one parameter, maps over two, points of a list in colours.

A study may have millions of points. All are read, in parts, and drawn so that what is thin stays; a
note below the picture says how.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis.stability.verdict import Region
from routh.arrays import Array
from routh.display.colours import MODES, REGIONS, VERDICTS
from routh.display.pictures.coloured_plane import legend, numbers_drawn, scaled, words_drawn
from routh.display.pictures.style import Axes, finished, fresh, name
from routh.errors import DeclarationError, did_you_mean, listed

STRETCHES = 1000
"""Stretches of a curve, of each of which the least and the largest number are drawn."""

LISTED = 20_000
"""Points of a list that are drawn, of each word or number."""

UNKNOWN = "#dddddd"


def study_diagram(study: Any, against: Any, shown: Any, axes: Axes | None) -> Axes:
    """The picture of what `sweep` returned."""
    variable = study[_shown(study, shown)]
    varied = [str(each) for each in study.coords if each != "time"]
    along = [str(each) for each in variable.dims if each in varied]
    if "point" in variable.dims:
        pair = _first(varied, against)[:2]
        return _scattered(study, variable, pair, fresh(axes))
    if len(along) == 1:
        return _curves(study, variable, _first(along, against)[0], fresh(axes))
    if len(along) == 2:
        return _map(study, variable, _first(along, against), fresh(axes))
    raise DeclarationError(
        f"A study is drawn over one or two parameters. Got {listed(along)}: choose values for the"
        f" others, like study.sel({along[-1]}=..., method='nearest')."
        if along
        else "A study is drawn over one or two parameters. Got a single point: look at its numbers."
    )


def _shown(study: Any, shown: Any) -> str:
    """The variable that is drawn: the one that is asked for, else a verdict, else the first."""
    every = [str(each) for each in study.data_vars]
    if shown is None:
        return next((each for each in ("region", "verdict", *every) if each in every), every[0])
    if str(shown) not in every:
        raise DeclarationError(
            f"`shown` is a variable of the study: {listed(every)}. Got {shown!r}."
            f"{did_you_mean(shown, every)}"
        )
    return str(shown)


def _first(varied: list[str], against: Any) -> list[str]:
    """What was varied, with what runs from left to right first: as asked for, or in its own order."""
    if against is not None and str(against) not in varied:
        raise DeclarationError(
            f"`against` is one of what was varied: {listed(varied)}. Got {against!r}."
            f"{did_you_mean(against, varied)}"
        )
    first = str(against) if against is not None else varied[0]
    return [first, *(each for each in varied if each != first)]


def _words(variable: Any) -> list[str]:
    """What codes from -1 on stand for."""
    return [each.replace("_", " ") for each in variable.attrs.get("flag_meanings", "").split()]


def _labelled(study: Any, across: str) -> str:
    unit = study[across].attrs.get("units")
    return f"{name(sympy.Symbol(across))}{f' in {unit}' if unit else ''}"


def _titled(study: Any) -> str:
    title = str(study.attrs.get("title", "Study"))
    return title if study.attrs.get("is_complete", 1) else f"{title}, not complete"


def _curves(study: Any, variable: Any, along: str, axes: Axes) -> Axes:
    every = variable.transpose(along, ...)
    size = every.sizes[along]
    values = np.asarray(every.values.reshape(size, -1).real, dtype=float)
    numbers = np.asarray(every[along].values)
    for k in range(values.shape[1]):
        kept = _extremes(values[:, k])
        axes.plot(numbers[kept], values[kept, k], color=MODES[k % len(MODES)], linewidth=1.2)
    scaled(axes, numbers, np.empty(0))
    axes.set_xlabel(_labelled(study, along))
    words = _words(variable)
    if words:
        _word_ticks(axes, values, words)
    else:
        axes.set_ylabel(_named(variable, list(map(str, variable.dims))))
    if size > 2 * STRETCHES:
        told = f"the least and the largest of each {-(-size // STRETCHES):,}"
        legend(axes, [], f"{size:,} points; {told}")
    return finished(axes, _titled(study))


def _extremes(values: Array) -> NDArray[np.intp]:
    """The places of the least and the largest number of each stretch of a long curve, in order."""
    size = len(values)
    if size <= 2 * STRETCHES:
        return np.arange(size)
    starts = np.arange(0, size, -(-size // STRETCHES))
    kept = [0, size - 1]
    for start, end in zip(starts, [*starts[1:], size], strict=True):
        part = values[start:end]
        bare = np.isnan(part)
        places = [np.argmin(np.where(bare, np.inf, part)), np.argmax(np.where(bare, -np.inf, part))]
        kept += [int(start + k) for k in (*places, np.argmax(bare) if bare.any() else places[0])]
    return np.unique(kept)


def _map(study: Any, variable: Any, pair: list[str], axes: Axes) -> Axes:
    across, up = pair
    stored = [str(each) for each in variable.dims if each in pair]
    flat = _flat(variable, pair).transpose(*stored)  # read as it lies, and turned when it is small
    along = (np.asarray(flat[stored[0]].values), np.asarray(flat[stored[1]].values))
    turned, words = stored[0] == across, _words(variable)
    if words:
        colours = _colours(str(variable.name), words)
        words_drawn(axes, along, lambda rows: flat[rows].values + 1, words, colours, turned=turned)
    else:
        label = _named(variable, pair)
        numbers_drawn(axes, along, lambda rows: flat[rows].values, label, turned=turned)
    axes.set_xlabel(_labelled(study, across))
    axes.set_ylabel(_labelled(study, up))
    return finished(axes, _titled(study), grid=False)


def _flat(variable: Any, along: list[str]) -> Any:
    """One real number for each point: of several the first, of complex ones the real part."""
    others = {each: 0 for each in variable.dims if each not in along}
    one = variable.isel(others)
    return one.real if np.iscomplexobj(one) else one


def _named(variable: Any, along: list[str]) -> str:
    """How the one number that `_flat` takes is called."""
    unit = variable.attrs.get("units")
    first = ", the first" * any(each not in along for each in variable.dims)
    part = "real part of " if np.iscomplexobj(variable) else ""
    own = str(variable.name).replace("_", " ")
    return f"{part}{own}{first}{f' in {unit}' if unit else ''}"


def _scattered(study: Any, variable: Any, pair: list[str], axes: Axes) -> Axes:
    values, words = _flat(variable, ["point"]).values, _words(variable)
    kept = _chosen(values, bool(words))
    note = f"{len(kept):,} of {len(values):,} points, at equal steps" * (len(kept) < len(values))
    places = [np.asarray(study[each].values)[kept] for each in pair]
    label = _named(variable, ["point"])
    if len(pair) == 1:
        axes.plot(*places, values[kept], ".", color=MODES[0], markersize=3)
        axes.set_ylabel(label)
        legend(axes, [], note)
    elif words:
        colours = _colours(str(variable.name), words)
        axes.scatter(*places, c=[colours[code + 1] for code in values[kept]], s=6)
        note += " of each word" if note else ""
        legend(axes, [(words[c + 1], colours[c + 1]) for c in np.unique(values)], note)
    else:
        drawn = axes.scatter(*places, c=values[kept], s=6)
        axes.figure.colorbar(drawn, ax=axes, label=label)
        legend(axes, [], note)
    if words and len(pair) == 1:
        _word_ticks(axes, values, words)
    if len(pair) > 1:
        axes.set_ylabel(_labelled(study, pair[1]))
    axes.set_xlabel(_labelled(study, pair[0]))
    return finished(axes, _titled(study))


def _word_ticks(axes: Axes, values: NDArray[Any], words: list[str]) -> None:
    """Words upwards, in the place of their codes."""
    present = np.unique(values[np.isfinite(values)]).astype(int)
    axes.set_yticks(present, [words[code + 1] for code in present])


def _chosen(values: NDArray[Any], are_words: bool) -> NDArray[np.intp]:
    """The points of a list that are drawn: of each word so many at equal steps, the rarest on top."""
    if not are_words:
        return np.arange(0, len(values), -(-len(values) // LISTED))
    own = sorted((np.flatnonzero(values == code) for code in np.unique(values)), key=len, reverse=True)
    return np.concatenate([each[:: -(-len(each) // LISTED)] for each in own])


def _colours(of: str, words: list[str]) -> list[str]:
    """A colour for each word, the first being "unknown"; verdicts and regions have theirs."""
    known = {v.name.lower().replace("_", " "): c for v, c in VERDICTS.items()}
    if of == "region":
        known = {r.name.lower().replace("_", " "): REGIONS[r] for r in Region}
    spare = iter(MODES * (1 + len(words) // len(MODES)))
    return [UNKNOWN if word == "unknown" else known.get(word) or next(spare) for word in words]
