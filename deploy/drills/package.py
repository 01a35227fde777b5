"""The Debian package where there is nothing but Debian, and under a systemd: installed, upgraded, removed, purged."""
import http.client
import json
import os
import shutil
import re
import signal
import subprocess
from collections import Counter
from pathlib import Path

from booted import Booted, NotBooted
from devices import APP, ROOT, VERSIONS
from machine import Failed, Machine, descendants, eventually, free_port, program, say
from postgres import Postgres
from servers import get

NAME = "syncserver"
# What the operator writes into the environment, to be found again after the upgrade.
MARK = "# kept by the operator"
SERVING, MIGRATING = f"{NAME}.service", f"{NAME}-migrate.service"
# As one of the logins, by PostgreSQL's socket on the same machine.
SOCKET = "postgresql:///sync?host=/var/run/postgresql&user={}"
# What is compared of an environment.
SETTING = re.compile(r"(DATABASE_URL|PORT|OPTIONS|MIGRATE_ON_UPGRADE)=")
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
# Stands for systemctl where no systemd runs: says whether the program was still there when it was asked.
STAND_IN = f"""#!/bin/sh
[ -x /usr/bin/{NAME} ] && there=there || there=gone
echo "$there $*" >> /srv/systemctl.log
"""


def run(machine: Machine, executable: Path, seed: int) -> dict:
    if os.geteuid() != 0:
        raise Failed("This drill makes a tree of Debian, which only root may: run it from a root shell.")
    files = executable.parents[1]
    first, second = (build(machine, files, version) for version in ("0.1.0", "0.1.1"))
    check_twice(machine, files, first)
    bill = json.loads((first.parent / f"{NAME}_0.1.0.cdx.json").read_text())
    named = {component["name"] for component in bill["components"]}
    if bill["bomFormat"] != "CycloneDX" or not {"swift", "libpq5", "libmicrohttpd12", "libssl3"} <= named:
        raise Failed(f"the bill of materials lacks libraries: {sorted(named)}")
    machine.run(program("lintian"), "--fail-on", "error,warning", first)
    say("lintian has nothing to say, and the same files gave the same package")
    tree = Tree(machine)
    tree.make()
    say("a tree with nothing but Debian")
    tree.install(first)
    tree.expect_installed("0.1.0")
    postgres = Postgres(machine)
    postgres.create()
    postgres.start()
    postgres.make_logins()
    tree.serve(postgres, migrates=True)
    say("installed, migrated and served, as its own user, without a Swift there")
    environment = tree.path / "etc" / NAME / "environment"
    environment.write_text(environment.read_text() + MARK + "\n")
    tree.install(second)
    tree.expect_installed("0.1.1")
    if MARK not in environment.read_text():
        raise Failed("the upgrade has overwritten the operator's environment")
    tree.serve(postgres, migrates=False)
    say("upgraded, and serves the same database with the same settings")
    owned = tree.owned()
    tree.expect_stop_before_removal()
    tree.chroot("apt-get", "purge", "--yes", NAME)
    tree.expect_nothing_left(owned)
    say("purged, and nothing is left")
    tree.make_bootable()
    try:
        with Booted(machine, tree.path) as booted:
            say(f"{booted.systemctl('--version').splitlines()[0]} runs as the first process of the tree")
            UnderSystemd(tree, booted).run(first, second)
    except NotBooted as why:
        say(f"NO SYSTEMD RUNS HERE, so no unit was started or stopped. {why}")
        return {
            "what": "in a tree of debootstrap alone, WITHOUT A SYSTEMD, which could not be started here: that removal "
                    "asks for the services' end was seen, that they end was not", "times": 1}
    return {
        "what": "installed, migrated, served, upgraded, removed and purged in a tree of debootstrap, and under a "
                "systemd of its own, which restarted, watched and ended the server", "times": 1}


def build(machine: Machine, files: Path, version: str, folder: str = "packages") -> Path:
    to = machine.folder / folder
    # A version is a day younger than the one before, and so are its units, by which systemd sees that they are new.
    day = 86_400 * int(version.rsplit(".", 1)[1])
    done = subprocess.run(
        [ROOT / "script" / "package", "--from", files, "--name", NAME, "--version", version, "--to", to],
        capture_output=True, text=True, env=os.environ | {"SOURCE_DATE_EPOCH": str(1_700_000_000 + day)})
    if done.returncode:
        raise Failed(f"script/package: {done.stderr}")
    return Path(done.stdout.split()[-1])


def check_twice(machine: Machine, files: Path, first: Path) -> None:
    if build(machine, files, "0.1.0", "again").read_bytes() != first.read_bytes():
        raise Failed("the same files gave another package")


class Tree:
    """A file system of Debian, in which programs are run by chroot."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.path = machine.folder / "debian"

    def make(self) -> None:
        done = subprocess.run(
            [program("debootstrap"), "--variant=minbase", "bookworm", self.path], capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"debootstrap: {done.stdout[-1000:]}")
        # No service starts in a tree.
        policy = self.path / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)

    def chroot(self, *words, check: bool = True) -> str:
        done = subprocess.run(
            [program("chroot"), self.path, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": PATH, "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"})
        if check and done.returncode:
            line = " ".join(str(word) for word in words)
            raise Failed(f"{line} ended with {done.returncode}:\n{done.stdout[-2000:]}")
        return done.stdout

    def install(self, package: Path) -> None:
        shutil.copy(package, self.path / "srv")
        self.chroot("apt-get", "install", "--yes", "--no-install-recommends", f"/srv/{package.name}")

    def set(self, name: str, **values: str) -> None:
        """Writes settings as an operator's editor does."""
        path = self.path / "etc" / NAME / name
        lines = path.read_text().splitlines()
        for key, value in values.items():
            places = [place for place, line in enumerate(lines) if line.startswith(f"{key}=")]
            if len(places) != 1:
                raise Failed(f"{path.name} has {len(places)} lines that set {key}")
            lines[places[0]] = f"{key}='{value}'"
        path.write_text("\n".join(lines) + "\n")

    def expect_installed(self, version: str) -> None:
        said = self.chroot("dpkg-query", "--show", "--showformat", "${Version} ${db:Status-Status}", NAME)
        if said != f"{version} installed":
            raise Failed(f"after the installation of {version} there is ‘{said}’")
        if "nologin" not in self.chroot("getent", "passwd", NAME):
            raise Failed("the package has made no user")
        for name in ("environment", "migrate-environment"):
            mode = (self.path / "etc" / NAME / name).stat().st_mode & 0o777
            if mode != 0o600:
                raise Failed(f"/etc/{NAME}/{name} has mode {mode:o}, and may hold a password")
        for file in (f"man/man1/{NAME}.1.gz", f"bash-completion/completions/{NAME}"):
            if not (self.path / "usr/share" / file).exists():
                raise Failed(f"the package has no {file}")

    def owned(self) -> list[str]:
        return [line for line in self.chroot("dpkg", "-L", NAME).splitlines() if (self.path / line[1:]).is_file()]

    def expect_nothing_left(self, owned: list[str]) -> None:
        left = [line for line in owned if (self.path / line[1:]).exists()]
        # Its settings, and what enabled a unit.
        left += [str(path.relative_to(self.path)) for path in (self.path / "etc").rglob(f"*{NAME}*")
                 if path.is_symlink() or path.exists()]
        if left:
            raise Failed(f"the purge has left {left}")

    def expect_stop_before_removal(self) -> None:
        """No systemd is asked here, but a stand-in: both services must be told to end while their program is there."""
        runs = self.path / "run/systemd/system"
        stand_in = self.path / "usr/local/sbin/systemctl"
        stand_in.write_text(STAND_IN)
        stand_in.chmod(0o755)
        runs.mkdir(parents=True)
        log = self.path / "srv/systemctl.log"
        log.write_text("")
        try:
            # apt gives those that it runs a path of its own.
            self.chroot("apt-get", "-o", f"DPkg::Path=/usr/local/sbin:{PATH}", "remove", "--yes", NAME)
        finally:
            stand_in.unlink()
            runs.rmdir()
        asked = log.read_text().splitlines()
        stops = [line for line in asked if line.startswith("there stop ")]
        if not all(any(unit in line.split() for line in stops) for unit in (SERVING, MIGRATING)):
            raise Failed(f"the removal did not ask for the end of both services while their program was there: {asked}")
        say("removed, after both services were told to end")

    def make_bootable(self) -> None:
        """Adds systemd, and a PostgreSQL on its socket alone: ports are the machine's, and others use them."""
        cluster = self.path / "etc/postgresql-common/createcluster.conf"
        cluster.parent.mkdir(parents=True)
        cluster.write_text("listen_addresses = ''\n")
        self.chroot(
            "apt-get", "install", "--yes", "--no-install-recommends", "systemd", "systemd-sysv", "dbus",
            "postgresql-15")
        (self.path / "usr/sbin/policy-rc.d").unlink()
        # Pages do not say ‘--yes’, and nobody answers here.
        (self.path / "etc/apt/apt.conf.d/yes").write_text('APT::Get::Assume-Yes "true";\n')

    def serve(self, postgres: Postgres, migrates: bool) -> None:
        """As the units do: one as the owner, one as the login that serves; both as the package's user."""
        if migrates:
            migrate(self.words(postgres.owner, "migrate", "up"))
            postgres.make_serving_login()
        port = free_port()
        with Serving(self.words(postgres.serving, "serve", "--port", str(port)), port):
            pass

    def words(self, database: str, *words: str) -> list[str]:
        return enter(self.path, NAME, [f"DATABASE_URL={database}", "PATH=/usr/bin:/bin"], f"/usr/bin/{NAME}", *words)


class UnderSystemd:
    """The package on a machine of its own, with PostgreSQL beside it, as its operator sees it."""

    def __init__(self, tree: Tree, booted: Booted):
        self.tree, self.booted = tree, booted
        self.port, self.metrics = free_port(), free_port()

    def run(self, first: Path, second: Path) -> None:
        self.begin(first)
        self.expect_restart_by_watchdog()
        self.expect_failed_upgrade_to_stop_nothing(second)
        self.expect_upgrade_to_restart()
        self.expect_removal_to_end_it()

    @property
    def main(self) -> int:
        return self.booted.main_process(SERVING)

    def serves(self) -> bool:
        return get(self.port, "/readyz") == 200

    def begin(self, first: Path) -> None:
        """Types what deploy/README.md says, line by line, with the logins of a PostgreSQL on the same machine."""
        booted = self.booted
        eventually("PostgreSQL runs", lambda: booted.shell("runuser -u postgres -- psql -c 'SELECT 1'", check=False))
        shutil.copy(first, self.tree.path / "srv")
        install, *others = on_the_page("systemctl enable --now").splitlines()
        booted.shell(f"cd /srv; {install}")
        self.expect_nothing_started()
        for name in ("environment", "migrate-environment"):
            self.expect_one_reading(name)
        booted.shell(on_the_page("pg_ident.conf"))
        for line in others:
            if line.startswith("editor "):
                self.edit(Path(line.split()[1]).name)
            else:
                booted.shell(line)
            if "start syncserver-migrate" in line:
                booted.shell(on_the_page("IN ROLE syncserver_serving"))
        # ‘systemctl start’ comes back when a unit of Type=notify has said that it serves.
        if not self.serves() or get(self.metrics, "/metrics") != 200:
            raise Failed("systemd took the server for started before it served, or without its options")
        booted.systemctl("is-enabled", SERVING)
        self.expect_first_token()
        for unit in (SERVING, MIGRATING):
            say(f"lines of {unit} by priority: {priorities(booted.journal(unit))}")
        whole = booted.run("journalctl", "--no-pager", f"--unit={SERVING}", f"--unit={MIGRATING}")
        if "Listening on" not in whole or "thread priority" in whole:
            raise Failed("the journal lacks the start, or has libdispatch's words on threads")
        say("installed, migrated and served as a unit, by PostgreSQL's socket and without a password, as the page says")

    def edit(self, name: str) -> None:
        if name == "environment":
            self.tree.set(
                name, DATABASE_URL=SOCKET.format("sync_server"), PORT=str(self.port),
                OPTIONS=f"--metrics-listen 127.0.0.1:{self.metrics}")
        else:
            self.tree.set(name, DATABASE_URL=SOCKET.format("sync_owner"))
        self.expect_one_reading(name)

    def expect_nothing_started(self) -> None:
        for unit in (SERVING, MIGRATING):
            if self.booted.property(unit, "ActiveState") != "inactive":
                raise Failed(f"the installation has started {unit}, though nobody said where the database is")
        if self.booted.systemctl("is-enabled", SERVING, check=False) != "disabled":
            raise Failed("the installation has enabled the server, though nobody said where the database is")

    def expect_one_reading(self, name: str) -> None:
        """Systemd and a shell must read the same in a file of settings."""
        path = f"/etc/{NAME}/{name}"
        by_systemd, by_shell = (
            {line for line in self.booted.shell(script, check=False).splitlines() if SETTING.match(line)}
            for script in (f"systemd-run --quiet --pipe --wait --property=EnvironmentFile={path} /usr/bin/env",
                           f"set -a; . {path}; exec /usr/bin/env"))
        if not any(line.startswith("DATABASE_URL=postgresql://") and "&" in line for line in by_systemd):
            raise Failed(f"systemd reads no URL of a database in {name}: {by_systemd}")
        if by_systemd != by_shell:
            raise Failed(f"{name} is read as {by_systemd} by systemd and as {by_shell} by a shell")

    def expect_first_token(self) -> None:
        said = self.booted.shell(on_the_page("token create"))
        token = re.search(r"sync_[A-Za-z0-9_-]{43}", said)
        if not token:
            raise Failed(f"what the page says makes no token: {said}")
        wrong = token[0][:-1] + ("A" if token[0][-1] != "A" else "B")
        for bearer, expected in ((token[0], 200), (wrong, 401)):
            if (status := self.ask_for_changes(bearer)) != expected:
                raise Failed(f"a device gets {status} with the first token, where it should get {expected}")

    def ask_for_changes(self, bearer: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request(
                "GET", f"/v1/apps/{APP}/spaces/me/changes",
                headers={"Authorization": f"Bearer {bearer}", "Schema-Version": VERSIONS[-1]})
            return connection.getresponse().status
        finally:
            connection.close()

    def expect_restart_by_watchdog(self) -> None:
        """A server that is alive is left alone for some intervals; one that stands still is replaced."""
        folder = self.tree.path / "etc/systemd/system" / f"{SERVING}.d"
        folder.mkdir(parents=True)
        (folder / "short.conf").write_text("[Service]\nWatchdogSec=3\nTimeoutAbortSec=2\n")
        self.booted.systemctl("daemon-reload")
        self.booted.systemctl("restart", SERVING)
        before, seen = self.main, set()

        def has_said_often() -> bool:
            seen.add(self.booted.property(SERVING, "WatchdogTimestampMonotonic"))
            return len(seen) > 6

        eventually("it says that it is alive", has_said_often)
        if self.main != before:
            raise Failed("systemd has restarted a server that was alive")
        leader = self.booted.leader
        os.kill(outside(leader, before), signal.SIGSTOP)
        eventually("a server that stands still is replaced", lambda: self.main not in (0, before) and self.serves())
        if "watchdog" not in self.booted.run("journalctl", f"--unit={SERVING}", "--no-pager").lower():
            raise Failed("it was replaced, but the journal has no word of the watchdog")
        shutil.rmtree(folder)
        self.booted.systemctl("daemon-reload")
        say("alive for nine seconds by a watchdog of three; stopped in its tracks, it was replaced")

    def expect_failed_upgrade_to_stop_nothing(self, second: Path) -> None:
        """With MIGRATE_ON_UPGRADE=yes, and a database that is not there for the migration."""
        before = self.main
        self.tree.set(
            "migrate-environment", MIGRATE_ON_UPGRADE="yes", DATABASE_URL=SOCKET.format("sync_owner") + "&port=1")
        shutil.copy(second, self.tree.path / "srv")
        said = self.booted.shell(f"cd /srv && apt-get install ./{second.name}", check=False)
        if "the old server goes on" not in said or self.main != before or not self.serves():
            raise Failed(f"a migration failed in the upgrade, and the old server does not go on:\n{said[-2000:]}")
        if not any(line.get("PRIORITY") == "3" for line in self.booted.journal(MIGRATING)):
            raise Failed("journalctl -p err does not show why the migration failed")
        say("an upgrade whose migration failed left the old server running, and the journal has it as an error")

    def expect_upgrade_to_restart(self) -> None:
        before = self.main
        self.tree.set("migrate-environment", DATABASE_URL=SOCKET.format("sync_owner"))
        self.booted.run("dpkg", "--configure", NAME)
        eventually("it serves after the upgrade", self.serves)
        self.tree.expect_installed("0.1.1")
        after = self.main
        program_now = os.readlink(f"/proc/{outside(self.booted.leader, after)}/exe")
        if after == before or "deleted" in program_now:
            raise Failed(f"the upgrade has not restarted the server: it runs {program_now}")
        for unit in (SERVING, MIGRATING):
            if self.booted.property(unit, "NeedDaemonReload") != "no":
                raise Failed(f"after the upgrade systemd goes by the old file of {unit}")
        say("the upgrade migrated and restarted the server, by its new unit")

    def expect_removal_to_end_it(self) -> None:
        owned = self.tree.owned()
        server = outside(self.booted.leader, self.main)
        self.booted.run("apt-get", "remove", NAME)
        if Path(f"/proc/{server}").exists():
            raise Failed("the removal has left the server running, its program deleted")
        if (self.tree.path / "usr/bin" / NAME).exists():
            raise Failed("the removal has left the program")
        self.booted.run("apt-get", "purge", NAME)
        self.tree.expect_nothing_left(owned)
        if units := self.booted.systemctl("list-units", "--all", "--plain", "--no-legend", f"{NAME}*"):
            raise Failed(f"systemd still knows {units}")
        if failed := self.booted.systemctl("list-units", "--failed", "--plain", "--no-legend"):
            say(f"failed for a reason of their own: {failed}")
        say("removed, which ended the server, and purged; systemd knows nothing of it")


def on_the_page(marker: str) -> str:
    """The block of commands in deploy/README.md that has a text in it."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "deploy/README.md").read_text(), re.M | re.S)
    found = [block for block in blocks if marker in block]
    if len(found) != 1:
        raise Failed(f"deploy/README.md has {len(found)} blocks with ‘{marker}’")
    return found[0]


def outside(leader: int, process: int) -> int:
    """The number that a container's process has here."""
    for child in descendants(leader):
        status = Path(f"/proc/{child}/status").read_text()
        if re.search(rf"^NSpid:.*\s{process}$", status, re.M):
            return child
    raise Failed(f"the container has no process {process}")


def priorities(lines: list[dict]) -> str:
    counted = Counter(line["PRIORITY"] for line in lines)
    return ", ".join(f"{count} of {priority}" for priority, count in sorted(counted.items())) or "none"


def enter(root: Path, user: str, variables: list[str], *words: str, read_only: bool = False) -> list[str]:
    """A command that runs another in a tree, as one of its users or a number, and with an environment of its own."""
    # What is mounted is so in a namespace of its own, and goes with the process. Swift's runtime reads /proc.
    script = ('mount -t proc proc "$0/proc" && exec chroot --userspec="$1:$1" "$0" /usr/bin/env -i "${@:2}"')
    if read_only:
        script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && ' + script
    return [program("unshare"), "--mount", program("bash"), "-c", script, str(root), user, *variables, *words]


def migrate(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"migrate up: {done.stderr[-2000:]}")


class Serving:
    """A server that is waited for, and ended."""

    def __init__(self, words: list[str], port: int):
        self.words, self.port = words, port

    def __enter__(self) -> None:
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            eventually("it serves", lambda: self.process.poll() is not None or get(self.port, "/readyz") == 200)
            if self.process.poll() is not None:
                raise Failed(f"the server ended: {self.process.stdout.read().decode()[-2000:]}")
        except Failed:
            self.__exit__()
            raise

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.wait(30)
