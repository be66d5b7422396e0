"""What a report says, in its order."""

from __future__ import annotations

from collections.abc import Iterator

from routh.display.report.about_equations import (
    energies_section,
    equations_section,
    hamiltonian_section,
)
from routh.display.report.about_model import model_section
from routh.display.report.about_motion import floquet_section, motion_section
from routh.display.report.about_parameters import moving_section, sweep_section
from routh.display.report.about_proof import proof_section, reproduction_section
from routh.display.report.about_rests import equilibria_section
from routh.display.report.about_studies import study_section
from routh.display.report.findings import Findings
from routh.display.report.items import Item, Pictures


def sections(found: Findings, pictures: Pictures, command: str) -> Iterator[Item]:
    """Everything about a model, item by item."""
    yield from model_section(found, pictures)
    yield from energies_section(found)
    yield from equations_section(found)
    yield from hamiltonian_section(found)
    yield from equilibria_section(found, pictures)
    yield from moving_section(found)
    yield from sweep_section(found, pictures)
    yield from study_section(found, pictures)
    yield from floquet_section(found, pictures)
    yield from motion_section(found, pictures)
    yield from proof_section(found)
    yield from reproduction_section(found, command)
