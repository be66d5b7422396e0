"""A study as an xarray.Dataset: variables over the parameters, with units and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from routh.studies.chunk import Job
from routh.studies.keeping import InMemory, InStore, Kept, attributes, axes_of, coordinates

TOLD = 5
"""Errors that are told in words."""


def dataset(job: Job, kept: Kept, about: Mapping[str, str]) -> Any:
    """What is kept, by name; of a store it is read when it is looked at."""
    import xarray

    if isinstance(kept, InStore):
        found = xarray.open_zarr(kept.path, consolidated=False, decode_cf=False, chunks={})
        found = found[[*(each.name for each in job.variables), "status"]].drop_attrs(deep=False)
    else:
        assert isinstance(kept, InMemory)
        found = xarray.Dataset({name: _variable(job, kept, name) for name in kept.arrays})
    return found.assign_coords(coordinates(job)).assign_attrs(_said(job, kept, about))


def _variable(job: Job, kept: InMemory, name: str) -> Any:
    array = kept.arrays[name]
    more = axes_of(name, array.ndim - len(job.design.shape), job.task.kind)
    return (*job.design.dimensions, *more), array, attributes(name, kept.words)


def _said(job: Job, kept: Kept, about: Mapping[str, str]) -> dict[str, Any]:
    """Where the numbers come from, whether they are all there, and what was raised."""
    missing = sum(1 for _ in job.design.chunks()) - len(kept.complete())
    said: dict[str, Any] = {
        "title": f"Study of {job.task.system.title.replace('`', '')}",
        "coordinates_of_the_system": " ".join(map(str, job.task.system.coordinates)),
        "is_complete": int(not missing),
        **{f"routh_{name}": text for name, text in about.items()},
    }
    errors = []
    for chunk, texts in kept.errors():
        numbers = job.design.numbers(chunk)
        for k, text in texts.items():
            place = ", ".join(
                f"{s} = {x[k]:g}" for s, x in zip(job.design.symbols, numbers, strict=True)
            )
            errors.append(f"{place}: {text}")
        if len(errors) >= TOLD:
            break
    if errors:
        said["remarks"] = "\n".join(errors[:TOLD])
    return said
