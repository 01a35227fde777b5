"""A tree of Debian that is booted: its systemd is the first process of a container of systemd-nspawn."""
import json
import re
import subprocess
from pathlib import Path

from machine import Failed, Machine, descendants, eventually, program

# The network is the machine's: apt needs it, and the drill asks the server by its port.
NSPAWN = [
    "--boot", "--register=no", "--keep-unit", "--console=read-only", "--link-journal=no", "--resolv-conf=replace-host",
    # Console and log are read for what went wrong, not for their colours.
    "--setenv=SYSTEMD_COLORS=0"]


class NotBooted(Exception):
    """There is no systemd here that could be asked, and why."""


class Booted:
    """A systemd of its own over a tree, with commands that are run beside it."""

    def __init__(self, machine: Machine, tree: Path):
        self.machine, self.tree = machine, tree
        self.leader = 0

    def __enter__(self) -> "Booted":
        try:
            nspawn = program("systemd-nspawn")
        except Failed as failure:
            raise NotBooted(str(failure)) from failure
        self.machine.start("systemd", nspawn, f"--directory={self.tree}", *NSPAWN, as_root=True)
        try:
            eventually("systemd has started what it starts", self._is_up, 120)
        except Failed as failure:
            self.__exit__()
            raise NotBooted(f"{failure}: {self.machine.log('systemd')[-1000:]}") from failure
        return self

    def __exit__(self, *_) -> None:
        if self.leader and self.machine.is_running("systemd"):
            self.machine.write("journal.log", self.run("journalctl", "--no-pager", check=False))
        # As if it had lost power.
        self.machine.kill("systemd")

    def _is_up(self) -> bool:
        if not self.machine.is_running("systemd"):
            raise Failed("systemd-nspawn has ended")
        # The first process of the container, as it counts.
        for process in descendants(self.machine.processes["systemd"].pid):
            status = Path(f"/proc/{process}/status").read_text()
            if re.search(r"^NSpid:\s+\d+\s+1$", status, re.M):
                self.leader = process
                return self.systemctl("is-system-running", check=False) in ("running", "degraded")
        return False

    def run(self, *words, check: bool = True) -> str:
        """Runs a command in the container, as root and with an environment of its own; what it printed."""
        line = [
            program("nsenter"), f"--target={self.leader}", "--mount", "--uts", "--ipc", "--pid", "--root", "--wd",
            "/usr/bin/env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "HOME=/root",
            "DEBIAN_FRONTEND=noninteractive", *(str(word) for word in words)]
        done = subprocess.run(line, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if check and done.returncode:
            raise Failed(f"{' '.join(str(word) for word in words)} ended with {done.returncode}:\n{done.stdout[-2000:]}")
        return done.stdout.strip()

    def shell(self, script: str, check: bool = True) -> str:
        """Runs what a page tells an operator to type, until a line fails."""
        return self.run("/bin/bash", "-ec", script, check=check)

    def systemctl(self, *words: str, check: bool = True) -> str:
        return self.run("systemctl", *words, check=check)

    def property(self, unit: str, name: str) -> str:
        return self.systemctl("show", f"--property={name}", "--value", unit)

    def main_process(self, unit: str) -> int:
        return int(self.property(unit, "MainPID"))

    def journal(self, unit: str) -> list[dict]:
        """Lines that a unit wrote, with their priorities: what systemd says about it is not among them."""
        said = self.run("journalctl", f"--unit={unit}", "--output=json", "--no-pager")
        lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        return [line for line in lines if line.get("_TRANSPORT") == "stdout"]
