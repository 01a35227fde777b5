"""What is measured, as the kit's targets: the floor, this server, this server in FitIQ's versions, the peer."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable
from typing import Any

from .kit import BENCHMARKS, BenchError, Kit, free_port, port_is_taken, run

OURS = str(BENCHMARKS / "kit" / "syncserver.py")


def ours(kit: Kit, database: str = "syncbench", name: str = "syncserver") -> Any:
    """This server over a new database, on a free port; not started."""
    target = kit.bench.load_target(OURS)
    target.name, target.database, target.port = name, database, free_port()
    kit.forget(name)
    return target


def derived(text: str) -> str:
    """The id that PostgreSQL derives from the same text, by md5(text)::uuid."""
    return str(uuid.UUID(hashlib.md5(text.encode()).hexdigest()))


def ours_over(kit: Kit, database: str) -> Any:
    """This server over a new database of that name, spoken to about spaces that have numbers, by tokens for many."""
    original = ours(kit, database, database)

    class Numbered(type(original)):
        #: The token that requests are rendered with.
        bearer: str | None = None

        def space(self, name: str | int) -> str:
            return derived(str(name)) if isinstance(name, int) else super().space(name)

        def token(self, name: str | int) -> str:
            return self.bearer or super().token(name)

        def token_for(self, subject: str, spaces: list[str]) -> str:
            """A new token that may write into all of these."""
            command = [os.environ["BENCH_SERVER"], "token", "create", "--app", self.app, "--subject", subject]
            command += ["--role", "write", "--database", self.url, "--json"]
            for space in spaces:
                command += ["--space", space]
            return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["token"]

    target = Numbered()
    target.name, target.database, target.port = original.name, original.database, original.port
    return target


def start(kit: Kit, target: Any) -> None:
    """Starts this server over an empty database, with metrics on a port of their own."""
    kit.drop_database(target.database)
    target.metrics_port = free_port()
    target.serving = [*target.serving, "--metrics-listen", f"127.0.0.1:{target.metrics_port}"]
    try:
        target.start()
    except SystemExit as refusal:
        raise BenchError(str(refusal)) from None


def check(kit: Kit, target: Any) -> None:
    """Pushes and pulls a little, and looks at every answer: the load generator counts answers and reads none.

    - Throws: BenchError if the server does not take the benchmark's records.
    """
    space = "check"
    target.make_space(space)
    records = kit.records.records(3, "check")
    edit = kit.records.record(random.Random("edit"), records[0]["id"])
    for pushed, (head, body) in ((3, target.push(space, records)), (1, target.update(space, [edit]))):
        with urllib.request.urlopen(request(target, head, body)) as answer:
            said = answer.read()
        if json.loads(said)["applied"] != pushed:
            raise BenchError(f"The server does not take the benchmark's records: {said.decode()[:300]}")
    told = target.get(space, "limit=10")["changes"]
    if len(told) != len(records):
        raise BenchError(f"The server tells of {len(told)} records, and {len(records)} were pushed.")


def request(target: Any, head: str, body: str | None = None) -> urllib.request.Request:
    """A request that was rendered for the load generator, for urllib."""
    first, *rest = head.split("\r\n")
    method, path, _ = first.split()
    headers = dict(line.split(": ", 1) for line in rest if line)
    return urllib.request.Request(
        f"http://127.0.0.1:{target.port}{path}", body.encode() if body else None, headers, method=method)


def kill(target: Any) -> None:
    """Ends this server as a crash would."""
    os.kill(target.pids()[0], signal.SIGKILL)
    os.waitpid(target.pids()[0], 0)


def floor(kit: Kit) -> Any:
    """The least server that does the bare job, over an empty database, on a free port; started.

    By the kit's own script it could only run on a fixed port, where another may be at work.
    """
    target = kit.bench.load_target("floor")
    target.port = free_port()
    kit.forget("floor")
    kit.drop_database("floordb")
    kit.psql("CREATE DATABASE floordb")
    with open(kit.state / "logs" / "floor.log", "w") as log:
        process = subprocess.Popen(
            [str(kit.state / "floor"), str(target.port), "8"], stdout=log, stderr=log)
    (kit.state / "run" / "floor.pid").write_text(str(process.pid))
    target.ctl = lambda verb: (process.terminate(), process.wait())
    for _ in range(200):
        if port_is_taken(target.port):
            return target
        if process.poll() is not None:
            break
        time.sleep(0.05)
    process.kill()
    raise BenchError(f"The floor server does not start, see {kit.state}/logs/floor.log")


def kinto(kit: Kit) -> Any:
    """The peer, installed if it can be, and started.

    - Throws: BenchError where it cannot be: it is an outside package.
    """
    target = kit.bench.load_target("kinto")
    if port_is_taken(target.port):
        raise BenchError(f"port {target.port} is taken, and Kinto's is fixed")
    script = str(kit.folder / "peers" / "kinto.sh")
    run([script, "setup"], "it does not install")
    try:
        run([script, "start"], "it does not start")
        target.prepare()
    except BaseException:
        target.ctl("stop")
        raise
    # It takes minutes to fill with 50,000. Rates are for each record, so fewer will do.
    target.big = 10_000
    return target


def at_version(original: Any, version: str) -> Any:
    """The same server, spoken to as FitIQ of that version: an entity that all versions have, with 11 attributes."""
    def content(record: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        number = record["quantity"]
        return "SDActivitySnapshot", {
            "activeMinutes": int(number), "activityLevel": "moderate", "caloriesBurned": record["value"],
            "date": record["at"], "distanceKm": number, "heartRateAvg": record["value"], "steps": int(number * 9),
            "workoutDurationMinutes": number, "workoutSessions": 2, "createdAt": record["at"],
            "updatedAt": record["updated_at"],
        }

    return speaking(original, "fitiq", version, content)


def speaking(
    original: Any, app: str, version: str, content: Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]
) -> Any:
    """The same server, spoken to as a version of an app.

    - Parameter content: the entity and the fields that a record of the kit is there.
    """
    class Versioned(type(original)):
        def __init__(self) -> None:
            super().__init__()
            self.app, self.version, self.port, self.database = app, version, original.port, original.database
            self.name = f"{app}-{version}"

        def pids(self) -> list[int]:
            return original.pids()

        def space(self, name: str) -> str:
            return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{app}/{version}/{name}"))

        def change(self, record: dict[str, Any], op: str) -> dict[str, Any]:
            self.stamp += 1
            entity, fields = content(record)
            return {"entity": entity, "id": record["id"], "op": op, "stamp": self.stamp, "fields": fields}

    return Versioned()


def answers_events(target: Any, space: str) -> bool:
    """Whether the server has `GET …/events`."""
    asked = request(target, target.head_of("GET", space, "events", "listener"))
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return answer.status == 200
    except urllib.error.HTTPError as problem:
        if problem.code == 404:
            return False
        raise BenchError(f"GET …/events answers {problem.code}") from None
