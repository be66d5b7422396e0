"""Whether two records are the same, to the last bit, and which of their parts are not."""

from __future__ import annotations

GROUPS = ("quantities", "values", "expressions")


def same(one, other):
    """Whether two quantities are: names, axes, unit and every bit."""
    a, b = one.array, other.array
    if (one.axes, one.unit, a.shape, a.dtype.kind) != (other.axes, other.unit, b.shape, b.dtype.kind):
        return False
    return bool((a == b).all()) if a.dtype.kind == "U" else a.astype(b.dtype).tobytes() == b.tobytes()


def differing(one, other, at=""):
    """Where two records differ, parts included."""
    found = own_differing(one, other, at)
    if list(one.parts) != list(other.parts):
        return [*found, f"{at} parts"]
    for name, part in one.parts.items():
        pairs = (part, other.parts[name])
        rows = zip(*pairs, strict=True) if isinstance(part, tuple) else [pairs]
        for a, b in rows:
            found += differing(a, b, f"{at}/{name}")
    return found


def own_differing(one, other, at=""):
    """Where two records differ, parts left out."""
    found = [
        f"{at} {name}"
        for name in ("kind", "title", "rows", "axes", "provenance")
        if _plain(getattr(one, name)) != _plain(getattr(other, name))
    ]
    for group in GROUPS:
        a, b = getattr(one, group), getattr(other, group)
        if list(a) != list(b):
            found.append(f"{at} {group}")
            continue
        found += [f"{at} {group} {name}" for name in a if not same(a[name], b[name])]
    return found


def _plain(value):
    return dict(value) if not isinstance(value, (str, tuple)) else value
