#!/usr/bin/env python3
"""Devices of several versions of an app against a running server.

    python3 Tests/PythonClient/scenarios.py --url http://127.0.0.1:8080 --space … --token … \\
        --app fitiq --versions 0.0.3,0.0.8,0.1.1 --models Tests/CompatTests/fixtures/fitiq

What the client knows comes from docs/protocol.md. After each scenario every device must show what a fresh one of its
version shows. Prints what it did; exits with 1 and a sentence where a promise was broken.
"""

import argparse
import random
import sys
import tempfile
import uuid
from pathlib import Path

from client import Device
from faults import FAULTS
from fleet import Failed, Fleet, expect
from proxy import LostAnswer, Refusal
from store import Record, Store
from transport import Problem, Transport, Unreachable


def create(fleet: Fleet) -> str:
    """Devices of every version, two of each, create records of every entity, offline."""
    made = 0
    for version in fleet.versions * 2:
        device = fleet.device(version)
        for entity in fleet.entities(version) * 3:
            device.create(entity.name, fleet.fields(entity, device))
            made += 1
        intended = device.view()
        device.push()
        expect(not device.store.rejections(), f"{version} had a creation rejected: {device.store.rejections()[:1]}")
        expect(set(intended) <= set(fleet.fresh(version).view()), f"what {version} created is not all there")
    return f"{made} changes"


def edit(fleet: Fleet) -> str:
    """Everyone edits records that others made, an attribute or two at a time."""
    edits = 0
    for _ in range(2):
        for device in fleet.devices:
            for entity, id in fleet.random.sample(sorted(device.view()), 6):
                attributes = list(device.schema.entities[entity].attributes.values())
                chosen = fleet.random.sample(attributes, min(2, len(attributes)))
                view = device.view()
                device.update(entity, id, {field.name: fleet.value(field, view) for field in chosen})
                edits += 1
        fleet.agree()
    return f"{edits} changes"


def conflict(fleet: Fleet) -> str:
    """Of two edits of one attribute the later stands, whichever arrives first; of two attributes both do."""
    for version in fleet.versions:
        early, late = [device for device in fleet.devices if device.schema.version == version][:2]
        entity, name = fleet.text_of(version)
        id = early.create(entity.name, fleet.fields(entity, early))
        early.sync()
        late.sync()
        early.update(entity.name, id, {name: "the earlier"})
        late.clock.observe(early.clock.largest)
        late.update(entity.name, id, {name: "the later"})
        late.push()
        early.push()
        expect(early.verdicts == ["superseded"], f"{version}: an earlier edit that came last was {early.verdicts}")
        early.pull()
        for device in (early, late, fleet.fresh(version)):
            shown = device.view()[entity.name, id][name]
            expect(shown == "the later", f"{version}: ‘{shown}’ stands, and not the later edit")
    return f"{len(fleet.versions)} pairs"


def delete(fleet: Fleet) -> str:
    """Records are deleted while others edit them, offline."""
    for version in fleet.versions:
        one, other = [device for device in fleet.devices if device.schema.version == version][:2]
        one.sync()
        other.sync()
        entity, name = fleet.text_of(version)
        id = fleet.random.choice(sorted(id for name, id in one.view() if name == entity.name))
        other.update(entity.name, id, {name: "too early"})
        one.clock.observe(other.clock.largest)
        one.delete(entity.name, id)
        one.push()
        other.push()
        expect(other.verdicts == ["superseded"], f"{version}: an edit from before the deletion was {other.verdicts}")
        expect((entity.name, id) not in fleet.fresh(version).view(), f"{version}: a deleted record is there")
    return f"{len(fleet.versions)} records"


def repeat(fleet: Fleet) -> str:
    """A push that is sent again changes nothing."""
    for device in fleet.devices[:len(fleet.versions)]:
        entity, name = fleet.text_of(device.schema.version)
        id = device.create(entity.name, fleet.fields(entity, device))
        device.update(entity.name, id, {name: "once"})
        changes = [change for _, change in device.store.outbox()]
        device.push()
        before = fleet.fresh(device.schema.version).view()
        for change in changes:
            device.store.send_later(change)
        device.push()
        expect(set(device.verdicts) <= {"unchanged", "superseded", "merged"}, f"a repeated push was {device.verdicts}")
        expect(fleet.fresh(device.schema.version).view() == before, "a repeated push changed something")
    return f"{len(fleet.versions)} pushes"


def lose_answers(fleet: Fleet) -> str:
    """The answers of a push, a page and a sync are lost; the device restarts, and another one edits meanwhile."""
    for version in fleet.versions:
        device, other = [device for device in fleet.devices if device.schema.version == version][:2]
        entity, name = fleet.text_of(version)
        id = device.create(entity.name, fleet.fields(entity, device))
        for request in (device.push, device.pull, device.sync):
            fleet.proxy.faults.append(LostAnswer())
            try:
                request()
                raise Failed("an answer that was lost was noticed by nobody")
            except Unreachable:
                pass
        expect(len(device.store.outbox()) == 1, "a change left the outbox without an answer")
        device = fleet.restart(device)
        other.pull()
        other.update(entity.name, id, {name: "meanwhile"})
        other.push()
        device.sync()
        expect(not device.store.outbox(), "the outbox was not emptied after a lost answer")
        expect(device.view()[entity.name, id][name] == "meanwhile", "an edit between two sendings was lost")
    return f"{3 * len(fleet.versions)} answers"


def page(fleet: Fleet) -> str:
    """Small pages, with writing between them, tell what large ones do."""
    for version in fleet.versions:
        writer = next(device for device in fleet.devices if device.schema.version == version)
        entity, name = fleet.text_of(version)
        known = [id for kind, id in sorted(writer.view()) if kind == entity.name]
        reader = fleet.device(version)

        def write_between():
            writer.update(entity.name, fleet.random.choice(known), {name: f"page {fleet.random.random()}"})
            writer.push()

        reader.pull(limit=len(writer.view()) // 12 + 1, after_page=write_between)
        reader.pull(limit=1)
        fleet.expect_same(reader.view(), fleet.fresh(version).view(), f"a reader of {version} in small pages")
    return "a dozen pages each, then pages of 1"


def reject(fleet: Fleet) -> str:
    """A change at fault is rejected by itself, leaves nothing behind, and the device goes on."""
    for device in fleet.devices[:len(fleet.versions)]:
        entity, name = fleet.text_of(device.schema.version)
        device.sync()
        seen = device.view()
        good = device.create(entity.name, fleet.fields(entity, device))
        id = next(id for kind, id in sorted(seen) if kind == entity.name)
        for fault in (
            {"entity": entity.name, "id": id, "op": "update", "fields": {name: 7}},
            {"entity": entity.name, "id": id, "op": "update", "fields": {"no such": 1}},
            {"entity": entity.name, "id": id, "op": "update", "fields": {name: "a\0b"}},
            {"entity": "NoSuch", "id": id, "op": "delete"},
            {"entity": entity.name, "id": "" if entity.texts else "no id", "op": "delete"},
            {"entity": entity.name, "id": id, "op": "upsert"},
        ):
            device.enqueue(fault)
        device.update(entity.name, good, {name: "and on it goes"})
        device.push()
        expect(device.verdicts == ["applied"] + ["rejected"] * 6 + ["applied"], f"the verdicts were {device.verdicts}")
        codes = [code for _, code, _ in device.store.rejections()]
        expected = ["wrong-type", "unknown-attribute", "nul-character", "unknown-entity", "malformed-id", "bad-op"]
        expect(codes == expected, f"rejected with {codes}")
        expect(device.view()[entity.name, id] == seen[entity.name, id], "a rejected change left something behind")
        expect(device.view()[entity.name, good][name] == "and on it goes", "a change after a rejected one was lost")
    return f"{6 * len(fleet.versions)} rejections"


def be_refused(fleet: Fleet) -> str:
    """Busy servers are asked again when they say, large pushes are cut; what cannot be helped keeps the outbox."""
    device = fleet.devices[0]
    entity, name = fleet.text_of(device.schema.version)
    fleet.waits.clear()
    for status, code in ((503, "overloaded"), (429, "rate-limited")):
        fleet.proxy.faults.append(Refusal(status, code, {"Retry-After": "3"}))
    device.sync()
    expect(fleet.waits == [3, 3], f"the device waited {fleet.waits}, and not as Retry-After said")
    for _ in range(5):
        device.create(entity.name, fleet.fields(entity, device))
    fleet.proxy.faults.append(Refusal(413, "too-large"))
    device.push()
    expect(len(device.verdicts) == 5, f"of five changes in a push that was too large, {len(device.verdicts)} arrived")
    device.create(entity.name, fleet.fields(entity, device))
    header, device.schema.version = device.schema.version, "9.9.9"
    problem = refusal(device.push)
    device.schema.version = header
    expect((problem.status, problem.code) == (409, "schema-unknown"), f"an unknown version was refused with {problem}")
    expect(set(fleet.versions) <= set(problem.document["known"]), "the refusal does not list what the server knows")
    expect(problem.retry_after is not None, "a 409 has no Retry-After")
    stranger = Device(Transport(fleet.url, "nobody"), fleet.app, fleet.space, device.schema, Store(":memory:"))
    problem = refusal(stranger.pull)
    expect((problem.status, problem.code) == (401, "unauthenticated"), f"a stranger was refused with {problem}")
    # A version that has ended, a closed outbox, a full space: nothing that its user can do here makes them go away now.
    for status, code in ((426, "version-retired"), (409, "outbox-closed"), (507, "quota-exceeded")):
        fleet.proxy.faults.append(Refusal(status, code))
        problem = refusal(device.push)
        expect((problem.status, problem.code) == (status, code), f"{code} was told as {problem}")
        expect(len(device.store.outbox()) == 1, f"a push that was refused with {code} lost its changes")
    device.push()
    expect(device.store.outbox() == [] and device.verdicts == ["applied"], "what was refused did not arrive later")
    return "503, 429, 413, 409, 401, 426, 507"


def refusal(request) -> Problem:
    """The problem that the request must meet."""
    try:
        request()
    except Problem as problem:
        return problem
    raise Failed("a request that must be refused was not")


def be_restored(fleet: Fleet) -> str:
    """The server says that its database was restored: the device starts anew, and pushes what the server lost."""
    for version in fleet.versions:
        device = next(device for device in fleet.devices if device.schema.version == version)
        entity, name = fleet.text_of(version)
        device.sync()
        waiting = device.create(entity.name, fleet.fields(entity, device))
        # The device knows this as pushed, and the server does not.
        fields = entity.canonical(fleet.fields(entity, device))
        lost = Record(entity.name, str(uuid.uuid4()), device.clock.next(), fields)
        with device.store:
            device.store.put(lost)
        fleet.proxy.faults.append(Refusal(410, "epoch-changed"))
        device.sync()
        fresh = fleet.fresh(version).view()
        expect((entity.name, waiting) in fresh, "after a 410 the outbox was not pushed")
        expect((entity.name, lost.id) in fresh, "after a 410 what the server lost was not pushed again")
    return f"{len(fleet.versions)} devices"


def update_app(fleet: Fleet) -> str:
    """Apps are updated with changes in the outbox, and in the middle of their pages."""
    updates = 0
    ways = [False, True] if fleet.models else [False]
    for migrates in ways:
        for first, older in enumerate(fleet.versions):
            for newer in fleet.versions[first + 1:]:
                device = fleet.device(older)
                device.sync()
                entity, name = fleet.text_of(older)
                id = fleet.random.choice(sorted(id for kind, id in device.view() if kind == entity.name))
                device.update(entity.name, id, {name: f"written in {older}"})
                device.create(entity.name, fleet.fields(entity, device))
                fleet.update(device, newer, migrates)
                device.sync(limit=len(device.view()) // 8 + 1)
                expect(not device.store.rejections(), f"after an update: {device.store.rejections()[:1]}")
                who = f"a device updated from {older} {'with' if migrates else 'without'} its own migration"
                fleet.expect_same(device.view(), fleet.fresh(newer).view(), who)
                updates += 1
    return f"{updates} updates" + ("" if fleet.models else ", none with a migration: no --models")


SCENARIOS = [
    create, edit, conflict, delete, repeat, lose_answers, page, reject, be_refused, be_restored, update_app, edit, page]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--space", required=True, help="an empty one")
    parser.add_argument("--token", required=True)
    parser.add_argument("--app", required=True)
    parser.add_argument("--versions", required=True, help="oldest first, with commas between")
    parser.add_argument("--models", help="the folder of the app's published models, for migrations of its own")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    parser.add_argument("--fault", choices=FAULTS, help="breaks the client on purpose: then this must fail")
    arguments = parser.parse_args()
    print(f"{arguments.app} {arguments.versions}, seed {arguments.seed}")
    scenario = None
    with tempfile.TemporaryDirectory() as folder:
        try:
            fleet = Fleet(arguments, Path(folder), FAULTS.get(arguments.fault, Device))
            for scenario in SCENARIOS:
                did = scenario(fleet)
                records = fleet.agree()
                print(f"  {scenario.__name__:<13} {did}; {len(fleet.devices)} devices agree on {records} records")
        except (Failed, Problem, Unreachable) as failure:
            print(f"{scenario.__name__ if scenario else 'start'}: {failure} (seed {arguments.seed})", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
