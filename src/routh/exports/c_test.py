"""A program in C that compares the exported functions with what the engine gave when they were made."""

from __future__ import annotations

from collections.abc import Iterator

from routh.arrays import Array
from routh.exports.c_source import CSource, number
from routh.exports.sample_points import SamplePoint, sample_points

CLOSE = 1e-9
"""Share of the largest entry of a result by which others may be off."""


def c_test(source: CSource) -> str:
    """The text of the program; it ends with 0 where all is well."""
    name = source.prefix
    points = sample_points(source.given)
    body = "\n".join(line for point in points for line in _point(source, point))
    return f"""/*
 * Compares {name}.c with what Routh gave at {len(points)} points when it was written:
 *     cc -std=c99 {name}_test.c {name}.c -lm && ./a.out
 * It ends with 0 where all results agree to {CLOSE:g} of the largest entry of each.
 */

#include <math.h>
#include <stdio.h>

#include "{name}.h"

static int wrong = 0, compared = 0;
static double worst = 0.0;

static void compare(const char *what, const double *found, const double *expected, int count)
{{
    double size = 0.0, off = 0.0;
    int finite = 1;
    for (int i = 0; i < count; i++) {{
        size = fmax(size, fabs(expected[i]));
        off = fmax(off, fabs(found[i] - expected[i]));
        finite &= isfinite(found[i]) ? 1 : 0;
    }}
    const double share = size > 0.0 ? off / size : off;
    compared++;
    worst = fmax(worst, share);
    if (!finite || share > {CLOSE!r}) {{
        wrong = 1;
        printf("%s is off by %g of its largest entry.\\n", what, finite ? share : NAN);
    }}
}}

int main(void)
{{
{body}
    const char *said = wrong ? "wrong" : "well";
    printf("{name}: %d results, off by %.1e at most: %s.\\n", compared, worst, said);
    return wrong;
}}
"""


def _point(source: CSource, point: SamplePoint) -> Iterator[str]:
    """The lines that compare all functions at one point."""
    yield "    {"
    yield f"        const double t = {number(point.t)};"
    for name, array in (("state", point.x), ("inputs", point.u), ("parameters", point.p)):
        yield f"        const double {name}[] = {_listed(array)};"
    for function in source.outside:
        results = source.results(function)
        for key, size in results:
            yield f"        double {function}_{key}[{size}] = {{0.0}};"
        listed = ", ".join(f"{function}_{key}" for key, _ in results)
        call = f"{source.prefix}_{function}(t, state, inputs, parameters, {listed})"
        yield f"        wrong |= {call};" if source.tells(function) else f"        {call};"
        for key, size in results:
            yield f"        const double {function}_{key}_told[] = {_listed(point.results[key])};"
            yield f'        compare("{key}", {function}_{key}, {function}_{key}_told, {size});'
    yield "    }"


def _listed(array: Array) -> str:
    """Numbers row by row; arrays of C have one at least."""
    return "{" + (", ".join(number(float(x)) for x in array.ravel()) or "0.0") + "}"
