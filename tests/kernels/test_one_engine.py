"""One room knows the engine: what other rooms import of it is a list, and CasADi is not on it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import routh
from routh.kernels import engine

HOUSE = Path(routh.__file__).parent
OTHERS = sorted(p for p in HOUSE.rglob("*.py") if "kernels" not in p.relative_to(HOUSE).parts)

WALL = {
    "blocks": {"Blocks", "block_sizes", "blocks", "differing", "row_sizes"},
    "both_sides": {"MOVED", "Branches", "branches"},
    "compiled": {"devices", "eigenvalues", "in_c"},
    "discrete_action": {"variational"},
    "engine": {
        "Density", "Engine", "Kernel", "Number", "Point", "Precise", "Reference", "Structure", "Unsupported",
    },
    "exact_system": {"ExactSystem"},
    "handed_out": {"HandedOut", "save"},
    "kernel": {"kernel"},
    "lifted": {"Entry", "Lifted"},
    "loaded_rest": {"LoadedRest"},
    "motion": {"canonical_motion", "motion"},
    "motion_engine": {"Call", "Fleet", "Laws", "Motion"},
    "plain_values": {"plain_values", "values_along"},
    "precise_balance": {"PreciseBalance"},
    "sampling": {"samples"},
    "neutral_steps": {"Step", "Steps"},
    "taylor_parts": {"TaylorParts", "energy_tensor"},
}  # fmt: skip
"""What a second engine has to provide, by module of `routh.kernels`."""


@cache
def imports(path: Path) -> list[tuple[str, str]]:
    """(module, name) of everything a module imports; the name is empty for `import module`."""
    return list(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, str]]:
    text = path.read_text("utf-8")
    if not any(word in text for word in ("casadi", "routh.kernels", "from .")):
        return  # to read them all as trees takes longer than anything else here
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports relatively, which this test does not follow"
            yield from ((node.module or "", alias.name) for alias in node.names)


def test_casadi_is_imported_by_the_kernels_alone():
    found = [path for path in OTHERS for module, _ in imports(path) if module.split(".")[0] == "casadi"]
    assert not found


def test_what_crosses_the_wall_is_on_the_list():
    found: dict[str, set[str]] = {}
    for path in OTHERS:
        for module, name in imports(path):
            if module == "routh.kernels" or module.startswith("routh.kernels."):
                found.setdefault(module.removeprefix("routh.kernels").lstrip("."), set()).add(name)
    assert found == WALL


def test_the_wall_is_the_folder_itself():
    """Every module at the door is on the list, and the rooms behind it are not."""
    at_the_door = {path.stem for path in (HOUSE / "kernels").glob("*.py")} - {"__init__"}
    assert at_the_door == set(WALL)


def test_every_module_at_the_door_is_described():
    assert all(f"    {name} " in (engine.__doc__ or "") for name in WALL)
