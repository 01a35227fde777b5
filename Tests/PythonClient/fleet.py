"""The devices of a scenario, what they write, and what must hold between them."""

import base64
import random
import uuid
from pathlib import Path
from typing import Any

from client import Device, known_versions, load_schema
from migration import Models
from proxy import Proxy
from store import Record, Store
from transport import Transport
from values import Attribute, Entity, Fields, Schema


class Failed(Exception):
    """The server or the client broke a promise."""


def expect(holds: bool, message: str) -> None:
    if not holds:
        raise Failed(message)


class Fleet:
    """One space, the devices on it, and what their users do."""

    def __init__(self, arguments, folder: Path, device_type: type[Device] = Device):
        self.app, self.space, self.url, self.token = arguments.app, arguments.space, arguments.url, arguments.token
        self.random = random.Random(arguments.seed)
        self.proxy = Proxy(self.url)
        self.waits: list[float] = []
        self.transport = Transport(self.proxy.url, self.token, sleep=self.waits.append)
        self.versions: list[str] = arguments.versions.split(",")
        self.schemas = {version: load_schema(self.transport, self.app, version) for version in self.versions}
        known = [entry["version"] for entry in known_versions(self.transport, self.app)]
        self.models = Models(Path(arguments.models), known) if arguments.models else None
        self.devices: list[Device] = []
        self._device_type = device_type
        self._folder = folder

    # Devices.

    def device(self, version: str) -> Device:
        """A device of the fleet that knows nothing yet."""
        path = self._folder / f"{uuid.UUID(int=self.random.getrandbits(128))}.sqlite"
        device = self._open(self.schemas[version], path)
        self.devices.append(device)
        return device

    def fresh(self, version: str, limit: int | None = None) -> Device:
        """A new device of the version that has read everything. It is not in the fleet."""
        device = Device(self.transport, self.app, self.space, self.schemas[version], Store(":memory:"))
        device.pull(limit)
        return device

    def restart(self, device: Device) -> Device:
        """The app ends and starts again, with what it has on disk."""
        index = self.devices.index(device)
        path = device.store.path
        device.store.close()
        self.devices[index] = self._open(device.schema, Path(path))
        return self.devices[index]

    def _open(self, schema: Schema, path: Path) -> Device:
        return self._device_type(self.transport, self.app, self.space, schema, Store(str(path)))

    def update(self, device: Device, version: str, migrates: bool) -> None:
        """The app of the device becomes the newer version, with a migration of its store or without."""
        migrated = None
        if migrates and self.models:
            seen = [Record(entity, id, 1, fields) for (entity, id), fields in device.view().items()]
            migrated = self.models.migrate(seen, device.schema.version, version)
        device.update_app(self.schemas[version], migrated)

    # What must hold.

    def agree(self) -> int:
        """Everyone sends and reads all; then every device shows what a fresh one of its version shows."""
        for device in self.devices:
            device.push()
        for device in self.devices:
            device.sync(limit=self.random.choice([None, 25]))
        views = {version: self.fresh(version).view() for version in self.versions}
        for device in self.devices:
            self.expect_same(device.view(), views[device.schema.version], f"a device of {device.schema.version}")
        return sum(len(view) for view in views.values())

    def expect_same(self, view: dict, fresh: dict, who: str) -> None:
        for key in sorted(set(view) | set(fresh)):
            if view.get(key) == fresh.get(key):
                continue
            entity, id = key
            if key not in view or key not in fresh:
                raise Failed(f"{who} {'lacks' if key in fresh else 'still has'} the {entity} {id}")
            names = [name for name in fresh[key] if view[key].get(name) != fresh[key][name]]
            shown = "; ".join(f"{name}: {view[key].get(name)!r}, fresh {fresh[key][name]!r}" for name in names)
            raise Failed(f"{who} and a fresh one differ in the {entity} {id}: {shown}")

    # What users write.

    def entities(self, version: str) -> list[Entity]:
        return list(self.schemas[version].entities.values())

    def text_of(self, version: str) -> tuple[Entity, str]:
        """An entity with many records, and an attribute of text: there is one in every app."""
        for entity in self.entities(version):
            for attribute in entity.attributes.values():
                if attribute.type == "String" and not entity.singleton:
                    return entity, attribute.name
        raise Failed(f"{version} has no attribute of text to try things with")

    def fields(self, entity: Entity, device: Device) -> Fields:
        """A value for every attribute; some of the optional ones are null."""
        view = device.view()
        return {
            name: None if attribute.optional and self.random.random() < 0.2 else self.value(attribute, view)
            for name, attribute in entity.attributes.items()}

    def value(self, attribute: Attribute, view: dict) -> Any:
        match attribute.type:
            case "Bool":
                return self.random.random() < 0.5
            case "Int":
                return self.random.randrange(1, 1000)
            case "Double":
                return self.random.randrange(1, 4000) / 8
            case "Decimal":
                return f"{self.random.randrange(1, 9999) / 100:.2f}"
            case "String":
                return self.random.choice(["Grüße 🥦 ", "二", "plain "]) + str(self.random.randrange(10**6))
            case "Date":
                return f"2026-0{self.random.randrange(1, 10)}-1{self.random.randrange(10)}T08:47:23.045349+02:00"
            case "UUID":
                return str(uuid.UUID(int=self.random.getrandbits(128), version=4))
            case "Data":
                return base64.b64encode(self.random.randbytes(9)).decode()
            case "enum":
                return self.random.choice(attribute.cases)
            case "array":
                return [self.value(attribute.element, view) for _ in range(self.random.randrange(3))]
            case "reference":
                targets = sorted(id for entity, id in view if entity == attribute.target)
                return self.random.choice(targets) if targets else None
            case "JSON":
                return {"a": [1, None]}
        raise Failed(f"schema.json has a type that the document does not: {attribute.type}")
