"""What a device keeps: records, the outbox, the cursor. SQLite, because a page and its cursor are stored as one."""

import json
import sqlite3
from dataclasses import dataclass
from typing import Any, Iterator

Fields = dict[str, Any]


@dataclass(frozen=True)
class Record:
    """A record as the server has it, as far as this device was told."""

    entity: str
    id: str
    stamp: int
    fields: Fields


class Store:
    """A device's disk. `records` is what the server is known to have; the outbox is what the user did since."""

    def __init__(self, path: str):
        self.path = path
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.executescript("""
            CREATE TABLE IF NOT EXISTS record (
                entity TEXT, id TEXT, stamp INTEGER, fields TEXT, PRIMARY KEY (entity, id));
            CREATE TABLE IF NOT EXISTS outbox (place INTEGER PRIMARY KEY AUTOINCREMENT, change TEXT);
            CREATE TABLE IF NOT EXISTS rejection (change TEXT, code TEXT, detail TEXT);
            CREATE TABLE IF NOT EXISTS remembered (
                entity TEXT, id TEXT, stamp INTEGER, fields TEXT, PRIMARY KEY (entity, id));
            CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT);
        """)

    def close(self) -> None:
        """The app ends; all that counts is on disk."""
        self._database.close()

    def __enter__(self) -> "Store":
        self._database.execute("BEGIN IMMEDIATE")
        return self

    def __exit__(self, failure, *_) -> None:
        self._database.execute("ROLLBACK" if failure else "COMMIT")

    # Settings: the cursor, the device's id, the largest stamp.

    def __getitem__(self, name: str) -> Any:
        row = self._database.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
        return json.loads(row[0]) if row else None

    def __setitem__(self, name: str, value: Any) -> None:
        self._database.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, json.dumps(value)))

    # Records.

    def records(self, table: str = "record") -> Iterator[Record]:
        """All that the server is known to have; or, after a restored database, what it was known to have before."""
        for entity, id, stamp, fields in self._database.execute(f"SELECT * FROM {table}").fetchall():
            yield Record(entity, id, stamp, json.loads(fields))

    def record(self, entity: str, id: str) -> Record | None:
        row = self._database.execute(
            "SELECT stamp, fields FROM record WHERE entity = ? AND id = ?", (entity, id)).fetchone()
        return Record(entity, id, row[0], json.loads(row[1])) if row else None

    def put(self, record: Record) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?)",
            (record.entity, record.id, record.stamp, json.dumps(record.fields)))

    def remove(self, entity: str, id: str, table: str = "record") -> None:
        self._database.execute(f"DELETE FROM {table} WHERE entity = ? AND id = ?", (entity, id))

    def replace(self, records: list[Record]) -> None:
        """Other records instead of all."""
        self._database.execute("DELETE FROM record")
        for record in records:
            self.put(record)

    def remember(self) -> None:
        """Sets aside what the server had before its database was restored, and starts with nothing."""
        self._database.execute("INSERT OR REPLACE INTO remembered SELECT * FROM record")
        self._database.execute("DELETE FROM record")

    def forget(self) -> None:
        """Drops what was set aside."""
        self._database.execute("DELETE FROM remembered")

    # The outbox, in the order of the user's doing.

    def outbox(self, limit: int = -1) -> list[tuple[int, dict]]:
        rows = self._database.execute("SELECT place, change FROM outbox ORDER BY place LIMIT ?", (limit,))
        return [(place, json.loads(change)) for place, change in rows.fetchall()]

    def send_later(self, change: dict) -> None:
        self._database.execute("INSERT INTO outbox (change) VALUES (?)", (json.dumps(change),))

    def sent(self, place: int) -> None:
        self._database.execute("DELETE FROM outbox WHERE place = ?", (place,))

    def reject(self, change: dict, code: str, detail: str) -> None:
        self._database.execute("INSERT INTO rejection VALUES (?, ?, ?)", (json.dumps(change), code, detail))

    def rejections(self) -> list[tuple[dict, str, str]]:
        """What the server found at fault, for the user to see."""
        rows = self._database.execute("SELECT change, code, detail FROM rejection")
        return [(json.loads(change), code, detail) for change, code, detail in rows.fetchall()]
