"""What docs/protocol.md, ‘Values’, says of JSON: one form for each value, and the schema.json that names the types."""

import re
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

Fields = dict[str, Any]


@dataclass(frozen=True)
class Attribute:
    """One attribute that travels."""

    name: str
    type: str
    """A name of ‘Values’, ‘enum’, ‘reference’, or ‘array’."""
    optional: bool = False
    element: "Attribute | None" = None
    cases: tuple[str, ...] = ()
    target: str | None = None
    texts: bool = False
    """Of a reference: whether its target's id is a text, to be kept to the letter."""


@dataclass(frozen=True)
class Entity:
    """One entity that travels, as one version has it."""

    name: str
    attributes: dict[str, Attribute]
    identity: str | None
    """The attribute that repeats the record's id. It is not among the others."""
    singleton: str | None
    """The id of the only record, where a space has but one."""
    texts: bool = False
    """Whether ids are texts, and not UUIDs."""

    def canonical(self, fields: Fields) -> Fields:
        """These values as the server sends them back, so that equal values are equal."""
        return {
            name: canonical(self.attributes[name], value) for name, value in fields.items() if name != self.identity}


class Schema:
    """One version of an app, as `GET /v1/apps/{app}/versions/{version}/schema.json` tells it."""

    def __init__(self, version: str, fingerprint: str, document: dict):
        self.version = version
        self.fingerprint = fingerprint
        self._definitions = document["$defs"]
        names = [name.removesuffix(".fields") for name in self._definitions if name.endswith(".fields")]
        self.entities = {name: self._entity(name) for name in names}

    @property
    def header(self) -> str:
        """What `Schema-Version` says."""
        return f"{self.version};fp={self.fingerprint}"

    def _entity(self, name: str) -> Entity:
        identity, attributes = None, {}
        for field, shape in self._definitions[f"{name}.fields"]["properties"].items():
            if shape.get("$comment") == "The same as the change's id":
                identity = field
            else:
                attributes[field] = self._attribute(field, shape)
        id = self._definitions[f"{name}.create"]["properties"]["id"]
        single = re.search(r"[0-9a-f-]{36}$", id.get("$comment", ""))
        texts = id.get("$ref") == "#/$defs/ID"
        return Entity(name, attributes, identity, single[0] if single else None, texts)

    def _attribute(self, name: str, shape: dict) -> Attribute:
        optional = {"type": "null"} in shape.get("anyOf", [])
        core = shape["anyOf"][0] if optional else shape
        if target := re.fullmatch(r"The id of an? (\w+)", shape.get("title", "")):
            return Attribute(name, "reference", optional, target=target[1], texts=core.get("$ref") == "#/$defs/ID")
        if "enum" in core:
            return Attribute(name, "enum", optional, cases=tuple(core["enum"]))
        if core.get("type") == "array":
            return Attribute(name, "array", optional, element=self._attribute(name, core["items"]))
        return Attribute(name, core.get("$ref", "JSON").rpartition("/")[2], optional)


def canonical(attribute: Attribute, value: Any) -> Any:
    """One value of it, as the server sends it back."""
    if value is None:
        return None
    match attribute.type:
        case "Date":
            return format_date(parse_date(value))
        case "UUID" | "reference" if not attribute.texts:
            return str(uuid.UUID(value))
        case "Decimal":
            # ‘abs’ would round to 28 digits.
            digits = f"{Decimal(value).copy_abs():f}"
            digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
            return f"-{digits}" if Decimal(value) < 0 else digits
        case "Double":
            return float(value) + 0.0  # no -0.0
        case "array" if attribute.element:
            return [canonical(attribute.element, item) for item in value]
    return value


def parse_date(text: str) -> datetime:
    """RFC 3339 with any offset and any number of digits; finer than a microsecond is rounded."""
    match = re.fullmatch(r"(.{19})(?:\.(\d+))?(?:([zZ])|([+-]\d\d:\d\d))", text)
    if not match:
        raise ValueError(f"‘{text}’ is not a date of RFC 3339")
    whole = datetime.fromisoformat(match[1] + (match[4] or "+00:00")).astimezone(timezone.utc)
    return whole + timedelta(microseconds=round(Decimal("0." + (match[2] or "0")) * 1_000_000))


def format_date(date: datetime) -> str:
    """In UTC, with no digits of a fraction, three or six: the fewest that are exact."""
    utc = date.astimezone(timezone.utc)
    fraction = "" if utc.microsecond == 0 else f".{utc.microsecond:06}"
    if fraction.endswith("000"):
        fraction = fraction[:4]
    # ‘%Y’ writes the year 800 with three digits.
    return f"{utc.year:04}-{utc:%m-%dT%H:%M:%S}{fraction}Z"
