"""W15: a space of a million records, all of which go with one: pulled, deleted and collected."""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from argparse import Namespace
from typing import Any

from .figures import Runs
from .kit import BENCHMARKS, BenchError, Kit
from .measure import Cell, alternate, forget_peak, peak, say
from .own import pulling
from .targets import at_version, ours, request, start

#: How many records the two spaces have besides the one that they belong to, and how many are pushed; the rest are
#: copies that PostgreSQL makes.
SPACES, PUSHED = {"small": 10_000, "large": 1_000_000}, 100

#: What the others belong to, and how they say so.
PROFILE, REFERENCE = "SDUserProfile", "userProfile"


def beside_a_small_space(kit: Kit, arguments: Namespace, rounds: int, results: Runs) -> None:
    """Pulls of a space with a million records beside one with ten thousand; then one deletion takes all of either."""
    original = ours(kit, "syncbench_large", "syncbench_large")
    try:
        start(kit, original)
        target = at_version(original, "0.0.1")
        profiles = {name: fill(kit, target, name, count) for name, count in SPACES.items()}
        kit.psql("VACUUM ANALYZE", target.database)
        # Long enough for all of the large one.
        arguments = Namespace(**{**vars(arguments), "duration": arguments.duration * 4})
        cells = [
            Cell(f"ours/W15/pull/{name}", lambda _, name=name: pulling(kit, target, name, SPACES[name], arguments))
            for name in SPACES
        ]
        alternate(kit, cells, rounds, results)
        for name, profile in profiles.items():
            results[f"ours/W15/deletion/{name}"] = [delete(kit, target, name, profile)]
        results["ours/W15/gc"] = [collect(kit, target)]
    finally:
        original.stop()
        kit.drop_database(original.database)


def fill(kit: Kit, target: Any, space: str, count: int) -> str:
    """Pushes a record and some that belong to it, and copies these; the id of the first."""
    target.make_space(space)
    profile, *children = kit.records.records(PUSHED + 1, space)
    changes = [change(target, PROFILE, profile["id"], {})]
    for child in children:
        one = target.change(child, "create")
        one["fields"][REFERENCE] = profile["id"]
        changes.append(one)
    said = push(target, space, {"changes": changes})
    if said["applied"] != len(changes):
        raise BenchError(f"The server does not take FitIQ's records: {json.dumps(said)[:300]}")
    id = target.space(space)
    say(f"  a space of {count:,}")
    kit.copy_rows(
        target.database, "fitiq.sd_activity_snapshot", id, f"generate_series(1, {count // PUSHED - 1})",
        {"id": f"md5('{space}' || n || '/' || o.seq)::uuid", "seq": f"o.seq + n * {PUSHED}::bigint"})
    more = count - PUSHED
    kit.psql(
        f"UPDATE sync.space SET head = head + {more}, records = records + {more} WHERE space_id = '{id}'",
        target.database)
    return profile["id"]


def change(target: Any, entity: str, id: str, fields: dict[str, Any], op: str = "create") -> dict[str, Any]:
    """A change of a record."""
    target.stamp += 1
    said = {"entity": entity, "id": id, "op": op, "stamp": target.stamp}
    return {**said, "fields": fields} if op != "delete" else said


def push(target: Any, space: str, body: dict[str, Any]) -> dict[str, Any]:
    """What a push was answered."""
    head = target.head_of("POST", space, "changes", "writer") + "Content-Type: application/json\r\n"
    try:
        with urllib.request.urlopen(request(target, head, json.dumps(body))) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as refusal:
        raise BenchError(f"A push was refused: {refusal.read().decode()[:300]}") from None


def delete(kit: Kit, target: Any, space: str, profile: str) -> dict[str, Any]:
    """Deletes the record that all others belong to, and says how long that took, and the server's memory meanwhile."""
    [pid] = target.pids()
    forget_peak(pid)
    began = time.monotonic()
    said = push(target, space, {
        "changes": [change(target, PROFILE, profile, {}, op="delete")], "intent": "mass-deletion"})
    run = {"rate": time.monotonic() - began, "peak": peak(pid)}
    if said["applied"] != 1:
        raise BenchError(f"The deletion was not taken: {json.dumps(said)[:300]}")
    say(f"  one deletion took all of {SPACES[space]:,} records: {run['rate']:.2f} s, {run['peak']:.0f} MB")
    return run


def collect(kit: Kit, target: Any) -> dict[str, Any]:
    """Collects all that is dead."""
    began = time.monotonic()
    command = [os.environ["BENCH_SERVER"], "gc", "--older-than", "0s", "--database", target.url, "--json"]
    command += ["--migrations", str(BENCHMARKS / "Migrations")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BenchError(f"gc failed: {done.stderr[:300]}")
    run = {"rate": time.monotonic() - began}
    say(f"  gc: {run['rate']:.1f} s, {done.stdout.strip()[:200]}")
    return run
