"""Programs that drills start, stop and kill; each is gone when the drill is."""
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

# PostgreSQL does not run as root.
ACCOUNT = "postgres"
PORTS_GIVEN: set[int] = set()
POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


class Failed(Exception):
    """A drill did not hold what it shows."""


class CommandFailed(Failed):
    """A program ended with an error. What is waited for may come all the same."""


def say(line: str) -> None:
    """What happens now, for whoever watches."""
    print(f"  {time.strftime('%H:%M:%S')}  {line}", file=sys.stderr, flush=True)


def free_port() -> int:
    """A port that nobody listens on, and below those that the kernel gives to connections until somebody does."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in random.sample(range(10_000, lowest), 1000):
        with socket.socket() as found:
            try:
                found.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in PORTS_GIVEN:
            PORTS_GIVEN.add(port)
            return port
    raise Failed("There is no free port here.")


def eventually(what: str, condition, patience: float = 90, pause: float = 0.1):
    """Waits until the condition gives something; what it gave."""
    end = time.monotonic() + patience
    while True:
        try:
            if found := condition():
                return found
        except (OSError, ValueError, CommandFailed):
            pass
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {patience:.0f} s")
        time.sleep(pause)


class Machine:
    """A folder and the processes that work in it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.processes: dict[str, subprocess.Popen] = {}
        self.as_account = os.geteuid() == 0
        if self.as_account:
            account = pwd.getpwnam(ACCOUNT)
            os.chown(folder, account.pw_uid, account.pw_gid)
            # Those above it are made by mkdtemp, for their owner alone.
            folder.chmod(0o755)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def command(self, words: list) -> list[str]:
        words = [str(word) for word in words]
        return ["setpriv", f"--reuid={ACCOUNT}", f"--regid={ACCOUNT}", "--init-groups"] + words \
            if self.as_account else words

    def run(self, *words, check: bool = True, **variables) -> str:
        """Runs a program to its end; what it printed."""
        done = subprocess.run(
            self.command(list(words)), cwd=self.folder, env=self.environment(variables), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if check and done.returncode:
            raise CommandFailed(f"{' '.join(str(word) for word in words)} ended with {done.returncode}:\n{done.stdout}")
        return done.stdout

    def start(self, name: str, *words, as_root: bool = False, **variables) -> None:
        """Starts a program; what it prints goes to a log of its name."""
        with open(self.folder / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                [str(word) for word in words] if as_root else self.command(list(words)), cwd=self.folder,
                env=self.environment(variables), stdout=log, stderr=log, start_new_session=True)

    def environment(self, variables: dict) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TZ") if name in os.environ}
        kept["HOME"] = str(self.folder)
        return kept | {name: str(value) for name, value in variables.items()}

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def is_running(self, name: str) -> bool:
        return name in self.processes and self.processes[name].poll() is None

    def signal(self, name: str, number: int) -> None:
        os.kill(self.processes[name].pid, number)

    def kill(self, name: str) -> None:
        """As if its machine had lost power: it and all that it has started."""
        process = self.processes.pop(name, None)
        if process is None:
            return
        # It first: nginx starts another worker for each that ends.
        for child in [process.pid, *descendants(process.pid)]:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()

    def stop(self, name: str, patience: float = 30) -> None:
        """SIGTERM, and waits until it is gone."""
        process = self.processes.get(name)
        if process is None:
            return
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            say(f"{name} did not end by itself")
            self.kill(name)
        self.processes.pop(name, None)

    def close(self) -> None:
        for name in reversed(list(self.processes)):
            self.kill(name)


def descendants(process: int) -> set[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, left = set(), [process]
    while left:
        for child in children.get(left.pop(), []):
            found.add(child)
            left.append(child)
    return found


def listened_ports(process: int) -> set[int]:
    """The TCP ports on which a process and those that it has started take connections."""
    found = set()
    for one in descendants(process) | {process}:
        try:
            sockets = {os.readlink(file) for file in Path(f"/proc/{one}/fd").iterdir()}
            lines = [line.split() for family in ("tcp", "tcp6")
                     for line in Path(f"/proc/{one}/net/{family}").read_text().splitlines()[1:]]
        except OSError:
            continue  # It has ended.
        # 0A is listening.
        found |= {int(line[1].split(":")[1], 16) for line in lines
                  if line[3] == "0A" and f"socket:[{line[9]}]" in sockets}
    return found


def program(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if not found:
        raise Failed(f"There is no ‘{name}’ here. deploy/drill installs what its drills need.")
    return found
