"""A vehicle whose wheels roll: four composed rotations each, angular velocities by R^T R'.

Yaw, pitch and roll of the body, the steering of the front wheels and the spin of each wheel, written
as products of `rotation(...)`. As trees the constraints are fifty times as large as the graphs which
they are, so that whatever goes through them term by term does not come back. Seconds are those of the
processor.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import problems
import routh as rt
from routh.language.walk import nodes, written_size


def main() -> None:
    """Print how long each step takes."""
    start = process_time()
    parts = problems.rolling_vehicle_parts()
    written = process_time()
    system = rt.System(**parts)
    made = process_time()
    print(system)
    graph = sum(1 for _ in nodes(system.constraints))
    tree = sum(map(written_size, system.constraints))
    print(f"constraints: {graph} nodes as a graph, {tree} as trees")
    print(f"written with rotations   {written - start:6.2f} s")
    print(f"System(...)              {made - written:6.2f} s")
    for simplify in (0, 1.0):
        before = process_time()
        found = rt.equations(system, simplify=simplify)
        after = process_time()
        print(f"equations(simplify={simplify:3g})  {after - before:6.2f} s")
        before = process_time()
        shown = str(found)
        print(f"  shown in {len(shown)} letters {process_time() - before:6.2f} s")


if __name__ == "__main__":
    main()
