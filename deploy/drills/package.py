"""The Debian package where there is nothing but Debian: installed, upgraded, purged; and lintian's word on it."""
import json
import os
import shutil
import subprocess
from pathlib import Path

from devices import ROOT
from machine import Failed, Machine, eventually, free_port, program, say
from postgres import Postgres
from servers import get

NAME = "syncserver"
# What the operator writes into the environment, to be found again after the upgrade.
MARK = "# kept by the operator"


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
    owned = [line for line in tree.chroot("dpkg", "-L", NAME).splitlines() if (tree.path / line[1:]).is_file()]
    tree.chroot("apt-get", "purge", "--yes", NAME)
    left = [line for line in owned if (tree.path / line[1:]).exists()]
    if left or (tree.path / "etc" / NAME).exists():
        raise Failed(f"the purge has left {left or '/etc/' + NAME}")
    say("purged, and nothing is left")
    return {"what": "installed, migrated, served, upgraded and purged in a tree of debootstrap", "times": 1}


def build(machine: Machine, files: Path, version: str, folder: str = "packages") -> Path:
    to = machine.folder / folder
    done = subprocess.run(
        [ROOT / "script" / "package", "--from", files, "--name", NAME, "--version", version, "--to", to],
        capture_output=True, text=True)
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
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"})
        if check and done.returncode:
            line = " ".join(str(word) for word in words)
            raise Failed(f"{line} ended with {done.returncode}:\n{done.stdout[-2000:]}")
        return done.stdout

    def install(self, package: Path) -> None:
        shutil.copy(package, self.path / "srv")
        self.chroot("apt-get", "install", "--yes", "--no-install-recommends", f"/srv/{package.name}")

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
