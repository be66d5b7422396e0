"""Events in C: what they watch, which way, whether the motion ends there, and velocities that jump.

Whoever integrates watches what `_events` gives pass zero, and lets `_jump` change the state there.
"""

from __future__ import annotations

from collections.abc import Iterator

from routh.exports.subject import Subject


def event_declarations(given: Subject, prefix: str, arguments: str) -> Iterator[tuple[str, str]]:
    """The heads of what there is, and what it is; nothing where there are no events."""
    count = len(given.events)
    if not count:
        return
    yield (
        f"extern const int {prefix}_event_directions[{count}]",
        "Which way what an event watches passes zero: 1 rising, -1 falling, 0 both.",
    )
    yield f"extern const int {prefix}_event_stops[{count}]", "Whether the motion ends there."
    yield _events(prefix, arguments), "What events watch."
    if any(event.change for event in given.events):
        said = "The velocities that an event changes; then project, where there are constraints."
        yield _jump(prefix, arguments), said


def event_functions(given: Subject, prefix: str, arguments: str) -> Iterator[str]:
    """The same written out, behind a function `outputs_written` to what is watched and changed."""
    own, events = given.functions, given.events
    for key in ("direction", "stop"):
        rows = ", ".join(str(int(getattr(event, key))) for event in events)
        yield f"const int {prefix}_event_{key}s[{len(events)}] = {{{rows}}};\n"
    size = len(events) + sum(len(event.change) for event in events)
    known = [f"    double outputs[{size}], solved[{own.n + own.c}] = {{0.0}};"]
    if own.c:
        call = f"{prefix}_solved(t, state, inputs, parameters, solved, &solved[{own.n}])"
        known.append(f"    if ({call}) return 1;")
    known.append("    outputs_written(t, state, inputs, parameters, solved, outputs);")
    copied = f"    for (int i = 0; i < {len(events)}; i++) events_out[i] = outputs[i];"
    yield "\n".join([_events(prefix, arguments), "{", *known, copied, "    return 0;", "}", ""])
    if any(event.change for event in events):
        body = [*known, *_cases(given), "    return 0;"]
        yield "\n".join([_jump(prefix, arguments), "{", *body, "}", ""])


def _events(prefix: str, arguments: str) -> str:
    return f"int {prefix}_events({arguments}, double *events_out)"


def _jump(prefix: str, arguments: str) -> str:
    changed = arguments.replace("const double *state", "double *state")
    return f"int {prefix}_jump(int event, {changed})"


def _cases(given: Subject) -> Iterator[str]:
    """The velocities that each event changes, all read before."""
    states, place = (*given.system.coordinates, *given.system.velocities), len(given.events)
    yield "    switch (event) {"
    for k, event in enumerate(given.events):
        if not event.change:
            continue
        yield f"    case {k}:"
        for velocity, _ in event.change:
            yield f"        state[{states.index(velocity)}] = outputs[{place}];"
            place += 1
        yield "        break;"
    yield "    default:\n        break;\n    }"
