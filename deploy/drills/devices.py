"""Devices of several versions that go on editing while things break, and what they were promised.

They are the client in Python of the tests, which was written from docs/protocol.md alone. Each edits its own records
and reads those of all; what it was acknowledged must be there in the end, as it wrote it.
"""
import random
import statistics
import sys
import tempfile
import threading
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "PythonClient"))

from client import Device, load_schema  # noqa: E402
from machine import Failed, say  # noqa: E402
from store import Store  # noqa: E402
from transport import Problem, Transport, Unreachable  # noqa: E402

APP = "fitiq"
# The oldest, one in the middle, and the newest.
VERSIONS = ["0.0.3", "0.0.8", "0.1.1"]
ENTITY, TEXT = "SDProgressEntry", "notes"
# Of what is refused for a while: how long until a device tries again. Theirs is a phone's patience, in short.
PAUSE_SECONDS = 0.05
# Between two edits of a device: busier than a person, and slow enough to leave the machine to what is drilled.
PACE_SECONDS = 0.1


@dataclass
class Promises:
    """What the fleet was acknowledged, and when it was served."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    # By record: what was acknowledged last. Only its device edits it.
    acknowledged: dict[str, str] = field(default_factory=dict)
    served: list[float] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)
    # How often a device was told that the server lacks what it knows, and began anew.
    begun_anew: int = 0

    def note_refusal(self, why: str) -> None:
        with self.lock:
            self.refused[why] = self.refused.get(why, 0) + 1

    def note_served(self) -> None:
        with self.lock:
            self.served.append(time.monotonic())

    def longest_gap(self, since: float, until: float | None = None) -> float:
        """The longest time in which nobody's push was acknowledged, from a moment on."""
        until = time.monotonic() if until is None else until
        with self.lock:
            times = [since] + [moment for moment in self.served if since <= moment <= until] + [until]
        return max(after - before for before, after in zip(times, times[1:]))


class WatchedDevice(Device):
    """Says when it begins anew."""

    promises: Promises | None = None

    def start_anew(self) -> None:
        if self.promises:
            with self.promises.lock:
                self.promises.begun_anew += 1
        super().start_anew()


class Devices:
    """A fleet at work, each device in a thread."""

    def __init__(self, url: str, token: str, space: str, count: int, seed: int):
        self.url, self.token, self.space = url, token, space
        self.promises = Promises()
        self.devices: list[Device] = []
        self._folder = tempfile.TemporaryDirectory(prefix="syncserver-drill-devices-")
        self._ends = threading.Event()
        self._random = random.Random(seed)
        self._schemas = {version: load_schema(self._transport(), APP, version) for version in VERSIONS}
        self._threads = [
            threading.Thread(target=self._work, args=(place, self._random.random()), daemon=True)
            for place in range(count)]
        self._failures: list[str] = []

    def _transport(self) -> Transport:
        # It is this fleet that waits, so that it sees when service is back.
        transport = Transport(self.url, self.token, sleep=lambda _: time.sleep(PAUSE_SECONDS))
        transport.ATTEMPTS_MAX = 1
        return transport

    def __enter__(self) -> "Devices":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join(60)
        self._folder.cleanup()

    def _work(self, place: int, seed: float) -> None:
        version = VERSIONS[place % len(VERSIONS)]
        chance = random.Random(seed)
        store = Store(f"{self._folder.name}/{place}.sqlite")
        device = WatchedDevice(self._transport(), APP, self.space, self._schemas[version], store)
        device.promises = self.promises
        self.devices.append(device)
        mine: dict[str, str] = {}
        try:
            while not self._ends.is_set():
                self._edit(device, mine, chance)
                self._send(device, mine)
                time.sleep(PACE_SECONDS)
            # Everything that is still in the outbox goes before the end.
            self._send(device, mine)
        except Exception as error:  # noqa: BLE001: a device that dies must fail the drill
            self._failures.append(f"{version}: {type(error).__name__}: {error}")
        finally:
            store.close()

    def _edit(self, device: Device, mine: dict[str, str], chance: random.Random) -> None:
        text = f"{device.schema.version} {uuid.uuid4()}"
        if not mine or chance.random() < 0.2:
            entity = device.schema.entities[ENTITY]
            fields = {
                name: None for name, attribute in entity.attributes.items() if attribute.optional
            } | {name: plain(attribute) for name, attribute in entity.attributes.items() if not attribute.optional}
            mine[device.create(ENTITY, fields | {TEXT: text})] = text
        else:
            record = chance.choice(sorted(mine))
            device.update(ENTITY, record, {TEXT: text})
            mine[record] = text

    def _send(self, device: Device, mine: dict[str, str]) -> None:
        """Until it is acknowledged; while it is not, the device keeps it."""
        deadline = time.monotonic() + 240
        while True:
            try:
                device.sync(limit=500)
                break
            except (Problem, Unreachable) as error:
                why = f"{error.status} {error.code}" if isinstance(error, Problem) else "no answer"
                self.promises.note_refusal(why)
                if isinstance(error, Problem) and error.status not in (408, 429, 500, 502, 503, 504):
                    raise
                if time.monotonic() > deadline:
                    raise Failed(f"no service for {deadline - time.monotonic() + 240:.0f} s: {why}") from error
                time.sleep(PAUSE_SECONDS)
        if rejections := device.store.rejections():
            raise Failed(f"a change was rejected: {rejections[0]}")
        self.promises.note_served()
        with self.promises.lock:
            self.promises.acknowledged.update(mine)

    def check(self) -> int:
        """After the end: every record that was acknowledged is there, as written. How many there are."""
        if self._failures:
            raise Failed(self._failures[0])
        missing = self.missing()
        if missing:
            raise Failed(f"{len(missing)} acknowledged records are lost or changed, such as {missing[0]}")
        return len(self.promises.acknowledged)

    def missing(self) -> list[str]:
        """Acknowledged records that a new device does not see as they were written."""
        for _ in range(200):
            fresh = Device(self._transport(), APP, self.space, self._schemas[VERSIONS[-1]], Store(":memory:"))
            try:
                fresh.pull()
            except (Problem, Unreachable):
                time.sleep(PAUSE_SECONDS)
                continue
            view = fresh.view()
            with self.promises.lock:
                return [
                    f"{record}: ‘{(view.get((ENTITY, record)) or {}).get(TEXT)}’, acknowledged ‘{text}’"
                    for record, text in sorted(self.promises.acknowledged.items())
                    if (view.get((ENTITY, record)) or {}).get(TEXT) != text]
        raise Failed("no new device could read the space")


def plain(attribute) -> object:
    """A value for an attribute that must have one."""
    return {
        "Bool": False, "Int": 1, "Double": 1.5, "Decimal": "1.5", "String": "text", "UUID": str(uuid.uuid4()),
        "Date": "2026-01-01T00:00:00Z", "Data": "", "array": [], "JSON": {},
    }.get(attribute.type) if attribute.type != "enum" else attribute.cases[0]


def summary(gaps: list[float]) -> str:
    """Times without service."""
    if not gaps:
        return "none"
    say("without service: " + ", ".join(f"{gap:.1f}" for gap in gaps) + " s")
    return f"median {statistics.median(gaps):.1f} s, worst {max(gaps):.1f} s"
