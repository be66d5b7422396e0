"""What results are written by: a record is made of each, and handed on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from routh.data import datasets, plain_forms, tables
from routh.data.formats_of_results import save_record
from routh.data.recording import record
from routh.data.restoring import restored
from routh.recorded import Expressions, Outlets


class _Outlets:
    """The one answer to the door `routh.recorded`."""

    def to_dict(self, result: object, expressions: Expressions) -> dict[str, Any]:
        return plain_forms.to_dict(record(result, expressions))

    def to_json(self, result: object, expressions: Expressions) -> str:
        return plain_forms.to_json(record(result, expressions))

    def save(self, result: object, path: str | Path, expressions: Expressions) -> Path:
        return save_record(lambda: record(result, expressions), path)

    def to_pandas(self, result: object, expressions: Expressions) -> Any:
        return tables.to_pandas(record(result, expressions))

    def to_xarray(self, result: object, expressions: Expressions) -> Any:
        return datasets.to_xarray(record(result, expressions))

    def restored(self, record: Any, system: Any) -> Any:
        return restored(record, system)


OUTLETS: Outlets = _Outlets()
