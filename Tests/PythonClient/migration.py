"""What an app's own migration does with its store: what the server counts on after an update, and no more.

A client knows its models, their former names and their defaults from its own source. Here they are read from the
`schema.json` that is published for each version, which has them in a form that is easy to read.
"""

import json
from pathlib import Path
from typing import Any

from store import Record
from values import Fields


class Models:
    """All versions of an app's models, oldest first."""

    def __init__(self, folder: Path, versions: list[str]):
        self._versions = versions
        self._models = {
            version: json.loads((folder / version / "schema.json").read_text("utf-8")) for version in versions}

    def migrate(self, records: list[Record], older: str, newer: str) -> list[Record]:
        """The records after an update, through every version between."""
        first, last = self._versions.index(older), self._versions.index(newer)
        for before, after in zip(self._versions[first:last], self._versions[first + 1:last + 1]):
            records = list(_migrated(records, self._models[before], self._models[after]))
        return records


def _migrated(records: list[Record], older: dict, newer: dict):
    for entity in newer["entities"]:
        former = entity.get("originalName", entity["name"])
        before = next((other for other in older["entities"] if other["name"] == former), None)
        for record in records:
            if before and record.entity == former:
                yield Record(entity["name"], record.id, record.stamp, _fields(record.fields, before, entity))


def _travelling(entity: dict) -> dict[str, dict]:
    """Attributes and to-one relationships by name."""
    toOne = [relationship for relationship in entity["relationships"] if "toOne" in relationship]
    return {field["name"]: field for field in entity["attributes"] + toOne}


def _fields(fields: Fields, before: dict, entity: dict) -> Fields:
    former_fields = _travelling(before)
    result = {}
    for name, field in _travelling(entity).items():
        former = field.get("originalName", name)
        value = fields.get(former)
        fits = former in former_fields and former in fields and _kind(former_fields[former]) == _kind(field)
        result[name] = value if fits and (value is not None or _optional(field)) else _default(field)
    return result


def _kind(field: dict) -> Any:
    """Two that are equal hold the same JSON. An enum is stored as its raw value."""
    if "toOne" in field:
        return "reference"
    if isinstance(field["type"], dict) and "enumeration" in field["type"]:
        return "string"
    return field["type"]


def _optional(field: dict) -> bool:
    return "toOne" in field or field.get("optional", False)


def _default(field: dict) -> Any:
    match field.get("default"):
        case {"json": text}:
            return json.loads(text)
        case {**single} if single:
            return next(iter(single.values()))
    return None  # It has none, or one that differs between records, which the server always sends.
