"""The release before is replaced by this one under a fleet, in both orders; then PostgreSQL 15 becomes 18, twice."""
import os
import shutil
import subprocess
import tarfile
import time
from io import BytesIO
from pathlib import Path

from devices import ROOT, Devices, summary
from machine import Failed, Machine, eventually, say
from postgres import Postgres
from servers import Servers

DEVICES = 9
# Until there is a tag: the commit before spaces could be shared, whose servers know no members, quotas and versions
# that end.
BEFORE = "40817a7"
NAMES = ["server-1", "server-2"]


def run(machine: Machine, executable: Path, seed: int) -> dict:
    before = Before(machine)
    newer = newer_postgres()
    postgres = Postgres(machine, "fifteen")
    postgres.create()
    postgres.start()
    postgres.make_logins()
    old = Servers(machine, before.executable, postgres.owner, before.migrations)
    old.unlimited = []
    old.command("migrate", "up")
    postgres.make_serving_login()
    token, space = old.share()
    gaps = []
    old.database = postgres.serving
    for name in NAMES:
        old.start(name)
    old.balance()
    new = Servers(machine, executable, postgres.serving)
    new.ports, new.port = old.ports, old.port

    with Devices(new.url, token, space, DEVICES, seed) as devices:
        eventually("the fleet is served", lambda: len(devices.promises.served) > 50)
        # The wrong order first: the new server says what is missing, and the old ones serve on.
        since = time.monotonic()
        said = new.command("serve", "--port", "0", check=False)
        if "migrate up" not in said:
            raise Failed(f"a new server before its migrations does not say what to do:\n{said[-500:]}")
        say("a new server refuses to serve before its migrations, and says what to do")
        new.command("migrate", "up", database=postgres.owner)
        say("migrated, while the servers of before serve")
        replace(machine, new, devices)
        say("both are replaced, one by one")
        # And back: until a contract has run, servers of before serve a newer database.
        replace(machine, old, devices)
        say("and back")
        replace(machine, new, devices)
        new.command("migrate", "up", "--contract", database=postgres.owner)
        gaps.append(devices.promises.longest_gap(since))
        say(f"and forth, contracts too: {gaps[-1]:.1f} s without service at most")

        for how in (upgrade_in_place, upgrade_by_dump):
            epoch = postgres.sql("SELECT epoch FROM sync.server")
            since = time.monotonic()
            for name in NAMES:
                machine.stop(name)
            following = how(machine, postgres, newer)
            postgres.stop_if_running()
            postgres = following
            new.database = postgres.serving
            for name in NAMES:
                new.start(name)
            served = len(devices.promises.served)
            eventually("they work on", lambda: len(devices.promises.served) > served + 10 * DEVICES)
            gaps.append(devices.promises.longest_gap(since))
            renewed = postgres.sql("SELECT epoch FROM sync.server") != epoch
            say(f"{how.__doc__.rstrip('.')}: {gaps[-1]:.1f} s without service; "
                + ("a new epoch, so devices compared what they have" if renewed else "the epoch stayed"))
            if not renewed:
                raise Failed("another cluster kept the epoch: what it might lack, no device would find out")
    kept = devices.check()
    return {
        "what": f"the release before ({before.name}) replaced under {DEVICES} devices, back and forth again; "
                f"PostgreSQL 15 to 18 by pg_upgrade, and by a dump; all of {kept} acknowledged records kept",
        "times": 3, "lost": 0, "gap": summary(gaps)}


def replace(machine: Machine, servers: Servers, devices: Devices) -> None:
    for name in NAMES:
        machine.stop(name)
        servers.start(name)
        served = len(devices.promises.served)
        eventually("they work on", lambda: len(devices.promises.served) > served + 5 * DEVICES)


def upgrade_in_place(machine: Machine, old: Postgres, programs: Path) -> Postgres:
    """By pg_upgrade."""
    new = Postgres(machine, "eighteen", programs, old.port)
    new.create()
    old.stop()
    machine.run(
        programs / "pg_upgrade", "--old-bindir", old.programs, "--new-bindir", programs, "--old-datadir", old.data,
        "--new-datadir", new.data, "--username=postgres", "--socketdir", machine.folder)
    new.start()
    return new


def upgrade_by_dump(machine: Machine, old: Postgres, programs: Path) -> Postgres:
    """By dump and restore."""
    new = Postgres(machine, "restored", programs)
    new.create()
    new.start()
    file = machine.folder / "everything.sql"
    machine.run(programs / "pg_dumpall", "--dbname", old.url("postgres", "postgres"), "--file", file)
    machine.run(programs / "psql", new.url("postgres", "postgres"), "-q", "--file", file)
    return new


class Before:
    """The program of the release before, built from its sources."""

    def __init__(self, machine: Machine):
        tag = git("describe", "--tags", "--abbrev=0", check=False).strip()
        self.name = tag or BEFORE
        place = ROOT / ".build" / f"release-{self.name}"
        if not (place / "syncserver").exists():
            self._build(machine, place)
        # Where PostgreSQL's user can read it.
        copy = machine.folder / "release-before"
        shutil.copytree(place, copy)
        self.executable, self.migrations = copy / "syncserver", copy / "Migrations"

    def _build(self, machine: Machine, place: Path) -> None:
        say(f"building {self.name}, once; some minutes")
        sources = machine.folder / "sources"
        archive = subprocess.run(
            ["git", "-C", ROOT, "archive", self.name], stdout=subprocess.PIPE, check=True).stdout
        tarfile.open(fileobj=BytesIO(archive)).extractall(sources)
        done = subprocess.run(
            ["swift", "build", "--configuration", "release", "--static-swift-stdlib", "--product", "syncserver"],
            cwd=sources, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"{self.name} does not build:\n{done.stdout[-2000:]}")
        shutil.copytree(sources / "Migrations", place / "Migrations", dirs_exist_ok=True)
        built = sources / ".build/release/syncserver"
        subprocess.run(["install", "--strip", built, place / "syncserver"], check=True)
        shutil.rmtree(sources)


def git(*words: str, check: bool = True) -> str:
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    if check and done.returncode:
        raise Failed(done.stderr)
    return done.stdout


def newer_postgres() -> Path:
    """PostgreSQL 18 of script/full.d/postgres-matrix, which Debian 12 has not."""
    done = subprocess.run(
        [ROOT / "script" / "full.d" / "postgres-matrix", "--unpack"], capture_output=True, text=True,
        env=dict(os.environ, PG_MATRIX="18"))
    if done.returncode:
        raise Failed(f"script/full.d/postgres-matrix --unpack: {done.stderr[-1000:]}")
    return Path(done.stdout.split()[-1])
