"""The verb `sweep`: what results have, over grids and designs of any size, by any number of workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from routh.analysis.given.engines import checked_engine
from routh.analysis.given.numbers import Numbers, number, yes_or_no
from routh.errors import DeclarationError, RouthError, a_kind, did_you_mean, quoted
from routh.kernels.engine import Engine
from routh.language.gates import checked_numeric, checked_system
from routh.language.make import Make
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.studies.chain import MANY, PER_CHUNK, Task
from routh.studies.chunk import Found, Job, NothingError, barren, computed
from routh.studies.crews import crew
from routh.studies.dataset import dataset
from routh.studies.design import designed
from routh.studies.keeping import InMemory, InStore, Kept, needed
from routh.studies.provenance import provenance
from routh.studies.questions import asked_for
from routh.studies.sweep_progress import shown_points

TRIED = 8
"""Chunks that are tried before a study in which every point raises an error is given up."""


def sweep(
    system: System,
    values: Numbers,
    *,
    over: Mapping[Any, Any],
    find: Sequence[str | Callable[[Any], Any]] | Mapping[str, Any] | str,
    to: str | Path | None = None,
    workers: Any = None,
    design: str = "grid",
    points: int | None = None,
    seed: int | None = None,
    guess: Numbers | None = None,
    inputs: Numbers | None = None,
    speeds: Numbers | None = None,
    momenta: Numbers | None = None,
    start: Numbers | None = None,
    times: Any = None,
    period: Any = None,
    engine: str = "auto",
    progress: bool = True,
) -> Any:
    """What results have at every point of a grid or a design, as an xarray.Dataset.

    Points are computed in chunks of a fixed size, so that a study gives the same digits in this
    process, in several, and on a cluster of machines of one kind. With `to` it may be larger than
    memory, and goes on where it was stopped.

    Arguments:
        system: the system.
        values: a number for each parameter that is not varied.
        over: what is varied and its numbers: parameters and inputs, coordinates and velocities of the
            start (of rests, of the guess).
        find: what is kept: names of what results have, like "eigenvalues", "verdict", "q", names of
            coordinates, or functions. A function is given the results at many points at once (`Modes`;
            of motions a `Trajectory`, of periods a `Floquet`) and gives an array with the points along
            its first axis; with friction it is given one point after the other (of motions a
            `StickSlip`) and gives its value. In a mapping the keys are names of functions.
        to: a folder for a zarr store, which grows while the study runs. The same call again computes
            what is missing.
        workers: None for this process, a number of local processes, or a `dask.distributed.Client`.
            With engine="cuda" each process has a GPU of its own.
        design: "grid" for all combinations, "points" for a list of points; "random", "latin", "sobol"
            and "halton" are spread over ranges `(low, high)`, or over distributions of scipy.stats.
        points: how many there are of such a design.
        seed: of its random numbers; the same seed gives the same points.
        guess: where to look for rests.
        inputs: constants for inputs; laws for motions.
        speeds: rates of coordinates that move on steadily.
        momenta: the same by momenta.
        start: where motions start; gives motions, with `times`.
        times: the times of their outputs.
        period: gives what a period does to small motions about a rest, by `floquet`.
        engine: as of the verbs: "casadi", "c" for code compiled for all cores of a machine, "cuda" for
            a GPU; "auto" for what pays: "c" for 100,000 rests or more. Results agree to rounding.
        progress: whether a bar is shown where a study takes long.

    A point that fails has a `status` that says so, and NaN. Ctrl-C gives what is there, with
    `is_complete` 0 among the attributes. Workers are processes: a script that calls it with a number of
    them needs `if __name__ == "__main__":` around the call.

    Raises:
        DeclarationError: for what cannot be varied, found or sent, and for a store of another study.
        WriteError: the store could not be written; complete chunks are kept.
        MissingExtra: without the extra `sweep`.

    Example:
        >>> import routh as rt
        >>> x, (k, c) = rt.coordinate("x"), rt.parameters("k c")
        >>> kinetic, dissipation = rt.ddt(x)**2 / 2, c * rt.ddt(x)**2 / 2
        >>> system = rt.System(kinetic=kinetic, potential=k * x**2 / 2, dissipation=dissipation)
        >>> study = rt.sweep(system, {"c": 0.0}, over={"k": [1.0, 4.0, 9.0]}, find=["frequencies"])
        >>> study.frequencies.sel(k=4).values
        array([2.])
    """
    with needed():
        import xarray  # noqa: F401
        import zarr  # noqa: F401
    yes_or_no(progress, "progress")
    if not isinstance(values, Mapping):
        raise DeclarationError(f"`values` must map parameters to numbers. Got {values!r}.")
    task = _task(system, values, start=start, times=times, period=period, guess=guess, inputs=inputs,
                 speeds=speeds, momenta=momenta)  # fmt: skip
    size = PER_CHUNK["friction" if task.is_single else task.kind]
    points_ = designed(system, over, design, points, seed, size)
    _refuse_mixed(task, points_.symbols)
    large = task.kind == "rests" and points_.count >= MANY and not task.is_single
    task = replace(task, engine=_engine(engine, task, workers), is_large=large)
    job = Job(task, points_, asked_for(find, system, task.kind))
    _refuse_same_names(job)
    about = provenance(job, {"design": design, "points": points, "seed": seed})
    kept: Kept = InMemory(job) if to is None else InStore(job, _folder(to), about)
    _fill(job, kept, workers, progress)
    return dataset(job, kept, about)


def _task(
    system: System, values: Numbers, *, start: Any, times: Any, period: Any, **options: Any
) -> Task:
    """What is computed at every point, by what was given."""
    given = {name: own for name, own in options.items() if own is not None}
    if (start is None) != (times is None) and times is None:
        raise DeclarationError("`start` is for motions, which need `times` too.")
    kind = "rests" if times is None and period is None else "motions" if period is None else "periods"
    if kind == "periods" and times is not None:
        raise DeclarationError(
            "A study is of motions, by `times`, or of periods, by `period`. Got both."
        )
    if kind == "periods" or checked_system(system, "sweep").make is not Make.FRICTION:
        checked_numeric(system, "sweep")
    allowed = {"rests": ("guess", "inputs", "speeds", "momenta"), "motions": ("inputs",),
               "periods": ("guess", "inputs")}[kind]  # fmt: skip
    stray = [name for name in given if name not in allowed]
    if stray:
        raise DeclarationError(f"{quoted(stray)} has no place in a study of {kind}. Leave it out.")
    arrays = [key for key, value in values.items() if np.ndim(value)]
    if arrays:
        raise DeclarationError(
            f"`values` has an array for {quoted(arrays)}. What is varied is given in `over`."
        )
    if kind == "motions":
        given |= {"start": dict(start or {}), "times": number(times, "`times`")}
    if kind == "periods":
        given["period"] = period
    return Task(system, kind, dict(values), given)


def _engine(engine: str, task: Task, workers: Any) -> str:
    """The engine, if it is there; whether a cluster has GPUs is seen by its workers."""
    elsewhere = workers is not None and not isinstance(workers, int)
    asked = Engine.CUDA if engine == Engine.CUDA and elsewhere else checked_engine(engine)
    if task.is_single and asked is not Engine.AUTO:
        raise DeclarationError(
            f"`engine` is for points that are computed together, and {task.system.title} has friction:"
            " each is computed alone. Leave it out."
        )
    return str(asked)


def _refuse_mixed(task: Task, varied: Sequence[Any]) -> None:
    """Refuse what is varied and given too."""
    own = {str(key) for key in task.values}
    own |= {str(key) for part in ("start", "guess", "inputs") for key in task.options.get(part, {})}
    twice = [symbol for symbol in varied if str(symbol) in own]
    if twice:
        raise DeclarationError(f"{quoted(twice)} is given and varied. Leave it out of one of them.")
    moved = [s for s in varied if isinstance(s, Coordinate) and s.order and task.kind != "motions"]
    if moved:
        raise DeclarationError(
            f"`over` has the velocity {quoted(moved)}, which is for motions: give `times`."
        )
    names = {str(p) for p in task.system.parameters}
    stray = [key for key in task.values if str(key) not in names]
    if stray:
        raise DeclarationError(
            f"`values` has {quoted(stray)}, which is no parameter of {task.system.title}."
            f"{did_you_mean(stray[0], names)}"
        )
    known = {*own, *map(str, varied)}
    lacking = [p for p in task.system.parameters if str(p) not in known and p.default is None]
    if lacking:
        raise DeclarationError(
            f"Neither `values` nor `over` has {quoted(lacking)}. Add"
            f" {'it' if len(lacking) == 1 else 'them'}, or give a default with"
            f' parameter("{lacking[0]}", 1.0).'
        )


def _refuse_same_names(job: Job) -> None:
    """Refuse names of what is found that are those of an axis."""
    axes = (*map(str, job.design.symbols), *job.design.dimensions)
    axes += ("time",) if job.task.kind == "motions" else ()
    same = [each.name for each in job.variables if each.name in axes]
    if same:
        raise DeclarationError(
            f"`find` has {quoted(same)}, which is the name of what is varied. Leave it out, or name the"
            " function otherwise."
        )


def _folder(to: Any) -> Path:
    if not isinstance(to, (str, Path)) or not str(to):
        raise DeclarationError(f"`to` is the path of a folder for the store. Got {a_kind(to)}.")
    return Path(to)


def _fill(job: Job, kept: Kept, workers: Any, progress: bool) -> None:
    """Compute the chunks that are missing; Ctrl-C ends it and keeps what is there."""
    done = kept.complete()
    left = [chunk for chunk in job.design.chunks() if chunk not in done]
    if not left:
        return
    sizes = {chunk: _points(job, chunk) for chunk in job.design.chunks()}
    there = sum(sizes[chunk] for chunk in done)
    with crew(workers, job) as compute, shown_points(job.design.count, there, shown=progress) as tick:
        try:
            model = _begin(job, kept, left, sizes, tick, _elsewhere(compute, job, workers))
            for chunk, found in compute(left):
                whole = barren(model, sizes[chunk], found) if isinstance(found, str) else found
                kept.keep(chunk, whole)
                tick(sizes[chunk])
        except KeyboardInterrupt:
            if not kept.complete():
                raise


def _elsewhere(compute: Any, job: Job, workers: Any) -> Any:
    """Who computes the first chunk: this process, unless only the workers of a cluster have a GPU."""
    if job.task.engine != Engine.CUDA or workers is None or isinstance(workers, int):
        return computed

    def asked(_job: Job, chunk: tuple[int, ...]) -> Found:
        ((_, found),) = compute([chunk])
        if isinstance(found, str):
            raise NothingError(RouthError(found))
        assert isinstance(found, Found)
        return found

    return asked


def _points(job: Job, chunk: tuple[int, ...]) -> int:
    return int(np.prod([part.stop - part.start for part in job.design.where(chunk)]))


def _begin(
    job: Job,
    kept: Kept,
    left: list[tuple[int, ...]],
    sizes: Mapping[Any, int],
    tick: Any,
    first: Callable[[Job, tuple[int, ...]], Found],
) -> Found:
    """A first chunk with a result, which is taken off what is left; it says what form all have.

    Raises:
        Exception: every point of chunks from all over the study raises an error; it is the first.
    """
    failed: list[tuple[tuple[int, ...], NothingError]] = []
    for chunk in _spread(left):
        try:
            found = first(job, chunk)
        except NothingError as nothing:
            failed.append((chunk, nothing))
            continue
        kept.prepare(found)
        kept.keep(chunk, found)
        for other, error in failed:
            kept.keep(other, barren(found, sizes[other], str(error)))
        done = {chunk, *(other for other, _ in failed)}
        tick(sum(sizes[each] for each in done))
        left[:] = [each for each in left if each not in done]
        return found
    why = failed[0][1].error
    if len(failed) < len(left):
        why.add_note(
            f"So did every point that was tried, {sum(sizes[c] for c, _ in failed):,} of"
            f" {job.design.count:,} from all over the study."
        )
    raise why


def _spread(chunks: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The first chunk, and some others from all over a study."""
    places = np.linspace(0, len(chunks) - 1, min(len(chunks), TRIED)).round().astype(int)
    return [chunks[k] for k in np.unique(places)]
