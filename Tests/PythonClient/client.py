"""A device: what docs/protocol.md says a client does, and no more."""

import random
import uuid
from dataclasses import replace
from typing import Any, Callable

from clock import HybridClock
from store import Record, Store
from transport import Problem, Transport
from values import Fields, Schema, parse_date

CHANGES_MAX = 5_000
BODY_SIZE_MAX_BYTES = 8 << 20


def known_versions(transport: Transport, app: str) -> list[dict]:
    """The app's versions, oldest first, with their fingerprints."""
    return transport.send("GET", f"/v1/apps/{app}")["versions"]


def fetch_schema(transport: Transport, app: str, version: str) -> tuple[str, dict]:
    """The version's fingerprint, and its schema as a document."""
    fingerprints = {known["version"]: known["fingerprint"] for known in known_versions(transport, app)}
    return fingerprints[version], transport.send("GET", f"/v1/apps/{app}/versions/{version}/schema.json")


def load_schema(transport: Transport, app: str, version: str) -> Schema:
    """What the version's client is built with."""
    return Schema(version, *fetch_schema(transport, app, version))


class Device:
    """A replica of one space in one version of the app.

    The store has the records as the server has them; what the user sees is these with the outbox on top. So a change
    that is rejected or superseded leaves nothing behind when it leaves the outbox.
    """

    def __init__(self, transport: Transport, app: str, space: str, schema: Schema, store: Store):
        self.schema = schema
        self.store = store
        self.verdicts: list[str] = []
        """What became of the changes of the latest push, in their order."""
        self.means_to_delete = False
        """Whether the user has said that the deletions are meant, however much they delete."""
        self._transport = transport
        self._path = f"/v1/apps/{app}/spaces/{space}"
        self._batch_max = CHANGES_MAX
        self.clock = HybridClock(store["stamp"] or 0)
        if not store["device"]:
            store["device"] = str(uuid.uuid4())

    # What the user does. None of it needs the network.

    def create(self, entity: str, fields: Fields, id: str | None = None) -> str:
        """A new record. An attribute that is left out has its default in the app, so name all that have one."""
        kind = self.schema.entities[entity]
        id = id or kind.singleton or (self._text() if kind.texts else str(uuid.uuid4()))
        self._do(entity, id, "create", fields)
        return id

    def _text(self) -> str:
        """An id that is a text, as apps make them: in upper case, or of anything."""
        unique = str(uuid.uuid4())
        return random.choice([unique, unique.upper(), f"Grüße 🥦/\"{unique}\"", f"e\u0301 {unique}", unique[:8]])

    def update(self, entity: str, id: str, fields: Fields) -> None:
        """What the user changed, and nothing else."""
        self._do(entity, id, "update", fields)

    def delete(self, entity: str, id: str) -> None:
        self._do(entity, id, "delete", None)

    def _do(self, entity: str, id: str, operation: str, fields: Fields | None) -> None:
        change: dict[str, Any] = {"entity": entity, "id": id, "op": operation}
        if fields is not None:
            change["fields"] = self.schema.entities[entity].canonical(fields)
        self.enqueue(change)

    def enqueue(self, change: dict) -> None:
        """Puts the change into the outbox, with its stamp and the version that it is written in."""
        with self.store:
            change = change | {"stamp": self.clock.next(), "version": self.schema.header}
            self.store.send_later(change)
            self.store["stamp"] = self.clock.largest

    # What the user sees.

    def view(self) -> dict[tuple[str, str], Fields]:
        """Every record: the server's, with what is not sent yet on top."""
        records = {(record.entity, record.id): record.fields for record in self.store.records()}
        for _, change in self.store.outbox():
            if change["version"] != self.schema.header:
                continue  # Its effect was migrated with the store.
            key = (change["entity"], change["id"])
            if change["op"] == "delete":
                records.pop(key, None)
            elif change["op"] == "create" or key in records:
                records[key] = records.get(key, {}) | (change.get("fields") or {})
        for (entity, id), fields in records.items():
            for name, attribute in self.schema.entities[entity].attributes.items():
                if attribute.target and (attribute.target, fields.get(name)) not in records:
                    records[entity, id] = records[entity, id] | {name: None}
        return records

    # What goes over the network.

    def push(self) -> None:
        """Empties the outbox, in batches."""
        self.verdicts = []
        while batch := self._batch():
            answer = self._send("POST", "/changes", self._push_body(batch))
            if answer is not None:
                with self.store:
                    self._settle(batch, answer)

    def pull(self, limit: int | None = None, after_page: Callable[[], None] = lambda: None) -> None:
        """Takes in page after page until there are no more. Each is stored with its cursor."""
        more = True
        while more:
            cursor = self.store["cursor"]
            query = [f"cursor={cursor}"] if cursor else []
            query += [f"limit={limit}"] if limit else []
            page = self._send("GET", "/changes" + ("?" + "&".join(query) if query else ""))
            if page is not None:
                with self.store:
                    self.take_in(page)
                more = page["more"]
                after_page()
        self._push_what_was_lost()

    def sync(self, limit: int | None = None) -> None:
        """Pushes and pulls. A batch and a page go in one round trip."""
        self.verdicts = []
        while True:
            batch = self._batch()
            answer = self._send("POST", "/sync", self._push_body(batch) | ({"limit": limit} if limit else {}))
            if answer is None:
                continue
            with self.store:
                self._settle(batch, answer)
                self.take_in(answer)
            if not answer["more"] and not self.store.outbox(1):
                break
        self._push_what_was_lost()

    def _batch(self) -> list[tuple[int, dict]]:
        """The oldest changes of the outbox, within the limits of a push."""
        batch, size = [], 0
        for place, change in self.store.outbox(self._batch_max):
            size += len(str(change).encode()) + 64
            if batch and size > BODY_SIZE_MAX_BYTES:
                break
            batch.append((place, change))
        return batch

    def _push_body(self, batch: list[tuple[int, dict]]) -> dict:
        body: dict[str, Any] = {"changes": [change for _, change in batch]}
        if cursor := self.store["cursor"]:
            body["cursor"] = cursor
        if self.means_to_delete:
            body["intent"] = "mass-deletion"
        return body

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        """The answer, or `None` where the request is to be made anew because what it rests on has changed."""
        headers = {
            "Schema-Version": self.schema.header, "Device-Id": self.store["device"],
            "Outbox-Age": str(self._outbox_age_seconds())}
        try:
            answer = self._transport.send(method, self._path + path, body, headers)
        except Problem as problem:
            if problem.status == 410:
                self.start_anew()
                return None
            if problem.status == 413 and body and len(body["changes"]) > 1:
                self._batch_max = max(1, len(body["changes"]) // 2)
                return None
            raise
        self.clock.set(parse_date(answer["serverTime"]).timestamp())
        return answer

    def _outbox_age_seconds(self) -> int:
        return max((self.clock.age_seconds(change["stamp"]) for _, change in self.store.outbox(1)), default=0)

    def _settle(self, batch: list[tuple[int, dict]], answer: dict) -> None:
        """Every verdict is final: the changes leave the outbox, and what took effect is the server's."""
        results = {result["index"]: result for result in answer["results"]}
        for index, (place, change) in enumerate(batch):
            result = results.get(index, {"verdict": "applied"})
            self.verdicts.append(result["verdict"])
            self.store.sent(place)
            if result["verdict"] == "rejected":
                self.store.reject(change, result["code"], result["detail"])
            elif result["verdict"] != "superseded":
                self._apply(change, set(result.get("kept", [])))
        if self.store["cursor"]:
            self.store["cursor"] = answer["cursor"]

    def _apply(self, change: dict, kept: set[str]) -> None:
        entity, id = change["entity"], change["id"]
        if change["version"] != self.schema.header:
            return  # Written before the app was updated: its effect was migrated with the store.
        if change["op"] == "delete":
            return self.store.remove(entity, id)
        known = self.store.record(entity, id)
        if known is None and change["op"] == "update":
            return  # The rest of the record comes with the next pull.
        fields = {name: value for name, value in (change.get("fields") or {}).items() if name not in kept}
        whole = dict.fromkeys(self.schema.entities[entity].attributes) | (known.fields if known else {}) | fields
        self.store.put(Record(entity, id, max(change["stamp"], known.stamp if known else 0), whole))

    def take_in(self, page: dict) -> None:
        """Stores a page and its cursor."""
        for change in page["changes"]:
            entity, id = change["entity"], change["id"]
            self.clock.observe(change["stamp"])
            if change["op"] == "delete":
                self.store.remove(entity, id)
                self.store.remove(entity, id, "remembered")
            else:
                fields = self.schema.entities[entity].canonical(change["fields"])
                self.store.put(Record(entity, id, change["stamp"], fields))
        self.store["stamp"] = self.clock.largest
        self.store["cursor"] = page["cursor"]

    # When the database was restored, and when the app is updated.

    def start_anew(self) -> None:
        """Drops the cursor, and sets aside what it stood for. The outbox stays."""
        with self.store:
            self.store.remember()
            self.store["cursor"] = None

    def _push_what_was_lost(self) -> None:
        """After a pull from the beginning: what the server knew before it was restored, and no longer does."""
        lost = []
        for record in self.store.records("remembered"):
            now = self.store.record(record.entity, record.id)
            if now is None or now.stamp < record.stamp:
                lost.append(record)
        with self.store:
            for record in lost:
                self.store.send_later({
                    "entity": record.entity, "id": record.id, "op": "create", "stamp": record.stamp,
                    "version": self.schema.header, "fields": record.fields})
            self.store.forget()
        if lost:
            self.push()

    def update_app(self, schema: Schema, migrated: list[Record] | None) -> None:
        """The app's next version on the same store.

        `migrated` is what the app's migration makes of the records: then the cursor stays, and the server sends what
        the migration cannot know. A client without one starts from the beginning.
        """
        travelling = []
        for record in migrated or []:
            if entity := schema.entities.get(record.entity):
                fields = {name: record.fields.get(name) for name in entity.attributes}
                travelling.append(replace(record, fields=fields))
        with self.store:
            self.store.replace(travelling)
            if migrated is None:
                self.store["cursor"] = None
        self.schema = schema
