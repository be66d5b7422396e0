"""Pictures of studies: curves over one parameter, maps over two, points of a list in colours.

A study may have millions of points. Of each axis at most as many are drawn as can be told apart, at
equal steps, and the title says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from routh.analysis.stability.verdict import Region
from routh.display.colours import MODES, REGIONS, VERDICTS
from routh.display.pictures.style import Axes, finished, fresh, name
from routh.errors import DeclarationError, did_you_mean, listed

MOST = 1000
"""Points of an axis that are drawn; there are hardly more pixels."""

LISTED = 20_000
"""Points of a list that are drawn."""

UNKNOWN = "#dddddd"


def study_diagram(study: Any, against: Any, shown: Any, axes: Axes | None) -> Axes:
    """The picture of what `sweep` returned."""
    variable = study[_shown(study, shown)]
    axes = fresh(axes)
    varied = [str(each) for each in study.coords if each != "time"]
    if "point" in variable.dims:
        return _scattered(study, variable, _pair(varied, against), axes)
    along = [str(each) for each in variable.dims if each in varied]
    if len(along) == 1:
        return _curves(study, variable, along[0], axes)
    if len(along) == 2:
        return _map(study, variable, along, axes)
    raise DeclarationError(
        f"A study is drawn over one or two parameters. Got {listed(along)}: choose values for the"
        f" others, like study.sel({along[-1]}=..., method='nearest')."
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


def _pair(varied: list[str], against: Any) -> list[str]:
    """The two parameters over which points of a list are drawn."""
    if against is not None and str(against) not in varied:
        raise DeclarationError(
            f"`against` is one of what was varied: {listed(varied)}. Got {against!r}."
            f"{did_you_mean(against, varied)}"
        )
    first = str(against) if against is not None else varied[0]
    return [first, *(each for each in varied if each != first)][:2]


def _thinned(variable: Any, along: list[str], most: int) -> tuple[Any, str]:
    """At most so many points of each dimension, and what the title says of it."""
    steps = {each: -(-variable.sizes[each] // most) for each in along}
    kept = variable.isel({each: slice(None, None, step) for each, step in steps.items()})
    left = [f"one {each} in {step}" for each, step in steps.items() if step > 1]
    return kept, f" ({', '.join(left)})" if left else ""


def _labelled(study: Any, across: str) -> str:
    unit = study[across].attrs.get("units")
    return f"{name(sympy.Symbol(across))}{f' in {unit}' if unit else ''}"


def _curves(study: Any, variable: Any, along: str, axes: Axes) -> Axes:
    kept, told = _thinned(variable, [along], 4 * MOST)
    values = kept.transpose(along, ...).values.reshape(kept.sizes[along], -1)
    values = values.real if np.iscomplexobj(values) else values
    for k in range(values.shape[1]):
        axes.plot(kept[along], values[:, k], color=MODES[k % len(MODES)], linewidth=1.2)
    _scaled(axes.set_xscale, kept[along].values)
    axes.set_xlabel(_labelled(study, along))
    unit = variable.attrs.get("units")
    part = "real part of " if np.iscomplexobj(variable) else ""
    axes.set_ylabel(f"{part}{variable.name}{f' in {unit}' if unit else ''}")
    return finished(axes, f"{study.attrs.get('title', 'Study')}{told}")


def _map(study: Any, variable: Any, along: list[str], axes: Axes) -> Axes:
    up, across = along
    kept, told = _thinned(_flat(variable, along), along, MOST)
    values = kept.transpose(up, across).values
    words = variable.attrs.get("flag_meanings", "").split()
    place = (kept[across].values, kept[up].values)
    if words:
        colours = _colours(str(variable.name), words)
        drawn = axes.pcolormesh(
            *place, values + 1, cmap=ListedColormap(colours), vmin=-0.5, vmax=len(words) - 0.5,
            shading="nearest", rasterized=True,
        )  # fmt: skip
        _legend(axes, values, words, colours)
    else:
        drawn = axes.pcolormesh(*place, values, shading="nearest", rasterized=True)
        axes.figure.colorbar(drawn, ax=axes, label=_named(variable, along))
    for scale, numbers in ((axes.set_xscale, place[0]), (axes.set_yscale, place[1])):
        _scaled(scale, numbers)
    axes.set_xlabel(_labelled(study, across))
    axes.set_ylabel(_labelled(study, up))
    return finished(axes, f"{study.attrs.get('title', 'Study')}{told}", grid=False)


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
    return f"{part}{variable.name}{first}{f' in {unit}' if unit else ''}"


def _scattered(study: Any, variable: Any, pair: list[str], axes: Axes) -> Axes:
    kept, told = _thinned(_flat(variable, ["point"]), ["point"], LISTED)
    places = [kept[each].values for each in pair]
    words = variable.attrs.get("flag_meanings", "").split()
    if len(pair) == 1:
        axes.plot(places[0], kept.values, ".", color=MODES[0], markersize=3)
        axes.set_ylabel(str(variable.name))
    elif words:
        colours = _colours(str(variable.name), words)
        axes.scatter(*places, c=[colours[code + 1] for code in kept.values], s=6)
        _legend(axes, kept.values, words, colours)
        axes.set_ylabel(_labelled(study, pair[1]))
    else:
        drawn = axes.scatter(*places, c=kept.values, s=6)
        axes.figure.colorbar(drawn, ax=axes, label=_named(variable, ["point"]))
        axes.set_ylabel(_labelled(study, pair[1]))
    axes.set_xlabel(_labelled(study, pair[0]))
    return finished(axes, f"{study.attrs.get('title', 'Study')}{told}")


def _colours(of: str, words: list[str]) -> list[str]:
    """A colour for each word, the first being "unknown"; verdicts and regions have theirs."""
    known = {v.name.lower(): c for v, c in VERDICTS.items()}
    if of == "region":
        known = {r.name.lower(): REGIONS[r] for r in Region}
    spare = iter(MODES * (1 + len(words) // len(MODES)))
    return [UNKNOWN if word == "unknown" else known.get(word) or next(spare) for word in words]


def _legend(axes: Axes, values: Any, words: list[str], colours: list[str]) -> None:
    present = sorted({int(code) for code in np.unique(values)})
    patches = [
        Patch(facecolor=colours[code + 1], edgecolor="#777777", label=words[code + 1].replace("_", " "))
        for code in present
    ]
    place = {"loc": "upper left", "bbox_to_anchor": (0, -0.14), "ncols": 2}
    axes.legend(handles=patches, fontsize=8, frameon=False, **place)


def _scaled(scale: Any, numbers: Any) -> None:
    """A logarithmic axis where numbers are a geometric row."""
    if len(numbers) > 2 and (numbers > 0).all():
        ratios = numbers[1:] / numbers[:-1]
        if np.ptp(ratios) < 1e-6 * ratios[0] and ratios[0] > 1 + 1e-9 and np.ptp(np.diff(numbers)) > 0:
            even = np.ptp(np.diff(numbers)) < 1e-6 * abs(numbers[1] - numbers[0])
            if not even:
                scale("log")
