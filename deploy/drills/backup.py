"""The database is destroyed under a fleet and restored to a while ago, with pgBackRest and from a dump."""
import re
import shutil
import time
from datetime import datetime, timezone
from pathlib import Path

from devices import ROOT, Devices, summary
from machine import CommandFailed, Failed, Machine, eventually, program, say
from postgres import Postgres
from servers import Servers

DEVICES = 9
# The restored database is this much behind.
BEHIND_SECONDS = 60
WORK_SECONDS = 15
# Of an app, and not walled.
BARE_TABLES = """SELECT oid::regclass FROM pg_class WHERE relnamespace = 'fitiq'::regnamespace AND relkind = 'r'
AND NOT (relrowsecurity AND relforcerowsecurity)"""


def run(machine: Machine, executable: Path, seed: int) -> dict:
    postgres = Postgres(machine)
    backrest = Backrest(machine, postgres)
    postgres.create(backrest.settings)
    postgres.start()
    postgres.make_logins()
    backrest.run("stanza-create")
    servers = Servers(machine, executable, postgres.owner)
    servers.command("migrate", "up")
    postgres.make_serving_login()
    token, space = servers.share()
    lost_token, lost_space = servers.share()
    servers.database = postgres.serving
    servers.start("server")
    servers.balance()

    with Devices(servers.url, token, space, DEVICES, seed) as devices:
        # A device that is lost together with the database, and was alone in its space.
        doomed = Devices(servers.url, lost_token, lost_space, 1, seed + 1)
        with doomed:
            eventually("the fleet is served", lambda: len(devices.promises.served) > 50)
            backrest.run("backup", "--type=full")
            say("a full backup was made while they worked")
            time.sleep(WORK_SECONDS)
            backrest.run("backup", "--type=incr")
            say(f"an incremental one, too; {BEHIND_SECONDS} s more of edits that only the archive has")
            time.sleep(5)
            target = datetime.now(timezone.utc)
            before = dict(doomed.promises.acknowledged)
            time.sleep(BEHIND_SECONDS)
        acknowledged = dict(doomed.promises.acknowledged)
        since = time.monotonic()
        machine.kill("postgres")
        shutil.rmtree(postgres.data)
        say("the database is destroyed, and one device with it")
        backrest.run(
            "restore", "--type=time", f"--target={target.strftime('%Y-%m-%d %H:%M:%S.%f')}+00",
            "--target-action=promote")
        postgres.start(patience=300)
        eventually("the fleet is served again", lambda: any(moment > since + 1 for moment in list(
            devices.promises.served)[-5:]), 120)
        gap = devices.promises.longest_gap(since)
        say(f"restored to {target:%H:%M:%S}, {BEHIND_SECONDS} s before; {gap:.1f} s without service")
        # Everybody must be told that the database lacks what they know, and offer it.
        served = len(devices.promises.served)
        eventually("they work on", lambda: len(devices.promises.served) > served + 10 * DEVICES)
        if (anew := devices.promises.begun_anew) < DEVICES:
            raise Failed(f"only {anew} of {DEVICES} devices were told that the database lacks what they know")
    kept = devices.check()
    # Of the lost device: what was acknowledged before is there, what it wrote since nobody has.
    missing = {line.split(":")[0] for line in doomed.missing()}
    gone = {record for record, text in acknowledged.items() if before.get(record) != text}
    if missing - gone:
        raise Failed(f"{len(missing - gone)} records are missing that the backup had")
    dumped, dump_gap = restore_a_dump(machine, servers, postgres, seed)
    return {
        "what": f"restored to {BEHIND_SECONDS} s before under {DEVICES} devices, which brought {kept} records back or "
                f"had them; of a device that was lost too, alone in its space, {len(missing)} of {len(acknowledged)} "
                f"records lack what it wrote since: nobody else had it. Restored from a dump of pg_dump by the page's "
                f"commands, too: all of {dumped} records",
        "times": 2, "lost": 0, "gap": summary([gap, dump_gap]), "lostWithDevice": len(missing)}


def restore_a_dump(machine: Machine, servers: Servers, postgres: Postgres, seed: int) -> tuple[int, float]:
    """Types what docs/operations.md says of pg_dump under a fleet, and goes on from the dump."""
    servers.database = postgres.owner
    token, space = servers.share()
    servers.database = postgres.serving
    once, nightly, restoring = (on_the_page(marker) for marker in ("BYPASSRLS", "--file=sync.dump", "pg_restore"))

    def type_in(commands: str) -> None:
        machine.run(
            "bash", "-ec", commands, PGHOST=machine.folder, PGPORT=postgres.port, PGUSER="postgres",
            PATH=f"{postgres.programs}:/usr/bin:/bin")

    # What nobody else may do: the owner would leave out what it may not see, and says so.
    try:
        type_in("pg_dump --username=sync_owner --file=/dev/null sync")
        raise Failed("the owner could dump, though row-level security is forced: the page is out of date")
    except CommandFailed as refusal:
        if "row-level security" not in str(refusal):
            raise
    type_in(once)
    with Devices(servers.url, token, space, DEVICES, seed + 2) as devices:
        eventually("the fleet is served", lambda: len(devices.promises.served) > 50)
        type_in(nightly)
        served = len(devices.promises.served)
        eventually("they write what the dump lacks", lambda: len(devices.promises.served) > served + 10 * DEVICES)
        since = time.monotonic()
        machine.stop("server")
        type_in(restoring)
        if bare := postgres.sql(BARE_TABLES):
            raise Failed(f"tables of an app have no wall after the restoration: {bare}")
        servers.start("server")
        served = len(devices.promises.served)
        eventually("they work on", lambda: len(devices.promises.served) > served + 10 * DEVICES)
        gap = devices.promises.longest_gap(since)
        if (anew := devices.promises.begun_anew) < DEVICES:
            raise Failed(f"only {anew} of {DEVICES} devices were told that the database lacks what they know")
    kept = devices.check()
    say(f"restored from a dump: {gap:.1f} s without service, and all of {kept} acknowledged records are there")
    return kept, gap


def on_the_page(marker: str) -> str:
    """The block of commands in docs/operations.md, ‘Backups’, that has a text in it."""
    page = (ROOT / "docs/operations.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", page[page.index("## Backups"):page.index("## Fail-over")], re.M | re.S)
    found = [block for block in blocks if marker in block]
    if len(found) != 1:
        raise Failed(f"docs/operations.md has {len(found)} blocks with ‘{marker}’")
    return found[0]


class Backrest:
    """pgBackRest, with a repository beside the data: in life it is elsewhere."""

    def __init__(self, machine: Machine, postgres: Postgres):
        self.machine = machine
        self.program = program("pgbackrest")
        self.file = machine.write("pgbackrest.conf", f"""
[global]
repo1-path={machine.folder}/backups
repo1-retention-full=2
log-path={machine.folder}
lock-path={machine.folder}/locks
spool-path={machine.folder}/spool
log-level-console=warn
log-level-file=off
start-fast=y
[sync]
pg1-path={postgres.data}
pg1-port={postgres.port}
pg1-socket-path={machine.folder}
pg1-user=postgres
""")

    @property
    def settings(self) -> str:
        push = f"{self.program} --config={self.file} --stanza=sync archive-push %p"
        # What is not archived yet is what a lost machine costs: ten seconds of edits here.
        return f"archive_mode = on\narchive_command = '{push}'\narchive_timeout = 10s\nwal_level = replica\n"

    def run(self, *words: str) -> None:
        self.machine.run(self.program, f"--config={self.file}", "--stanza=sync", *words)
