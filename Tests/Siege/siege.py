#!/usr/bin/env python3
"""What one client costs the others: an honest client is timed alone, then beside one that does its worst.

Starts a server of its own over a private PostgreSQL, and for each attacker: times an honest client for a while, lets the
attacker loose with its connections, and times the honest client again. Says how far its p99 moved, what memory the server
took at most, and whether everything that it was acknowledged is there. Exits with 1 where a bound is passed.

The attacker runs at the lowest priority: what its own work takes of this machine's processors is not the server's cost.
"""
import argparse
import json
import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import tempfile
import time
import uuid

import attacks
from honest import Honest

# Of the honest client's 99th percentile beside the attacker, to that alone (docs/security.md).
SLOWER_MAX = 3.0
# Resident memory of the server, in MiB (docs/security.md).
MEMORY_MAX = 1638


class Server:
    """A server process, its database below a folder that goes with it."""

    def __init__(self, program, migrations, has_rates):
        self.folder = tempfile.TemporaryDirectory(prefix="syncserver-siege-")
        self.program = os.path.abspath(program)
        self.environment = dict(os.environ, SYNC_MIGRATIONS=os.path.abspath(migrations))
        self.environment.pop("DATABASE_URL", None)
        self.log = open(os.path.join(self.folder.name, "server.log"), "wb")
        self.process = subprocess.Popen(
            [self.program, "serve", "--port", "0"] + ([] if has_rates else ["--no-rate-limits"]),
            cwd=self.folder.name, env=self.environment, stdout=self.log, stderr=self.log)
        self.port = self._port()

    def _port(self):
        deadline = time.monotonic() + 180
        while time.monotonic() < deadline:
            text = open(self.log.name, "rb").read().decode(errors="replace")
            for line in text.splitlines():
                found = re.search(r"Listening on http://[^ \"]*:([0-9]+)", line)
                if found:
                    return int(found[1])
            if self.process.poll() is not None:
                sys.exit("The server did not start:\n" + text)
            time.sleep(0.2)
        sys.exit("The server did not start in time.")

    def token(self, subject, space):
        words = ["token", "create", "--app", "fitiq", "--subject", subject, "--role", "write", "--space", space]
        answer = subprocess.run(
            [self.program] + words, cwd=self.folder.name, env=self.environment, capture_output=True, text=True,
            check=True)
        return next(word for word in answer.stdout.split() if word.startswith("sync_"))

    def memory(self):
        """Resident memory in MiB; None where the process is gone."""
        try:
            for line in open(f"/proc/{self.process.pid}/status"):
                if line.startswith("VmRSS"):
                    return int(line.split()[1]) / 1024
        except FileNotFoundError:
            return None

    def cpu(self):
        """Processor time in seconds."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()
        self.folder.cleanup()


# Python runs one thread of a process at a time.
PROCESSES = 4


def loose(attacker, server, token, space, arguments):
    """Starts the attacker; gives its processes, and where they put what became of their attempts."""
    tallies = multiprocessing.Queue()

    def work():
        os.nice(19)
        tallies.put(attacks.run(
            attacker, server.port, token, space, arguments.connections // PROCESSES, arguments.seconds))

    processes = [multiprocessing.Process(target=work, daemon=True) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    return processes, tallies


def besiege(server, attacker, arguments):
    """Runs one attacker; gives what was seen."""
    space, victim = str(uuid.uuid4()), str(uuid.uuid4())
    token = server.token(f"attacker-{attacker}", space) if attacker == "writer" else None
    honest = Honest(server.port, server.token("honest", victim), victim)
    alone = honest.run(arguments.alone)
    started = server.cpu()
    processes, tallies = loose(attacker, server, token, space, arguments)
    peaks = []
    beside = honest.run(arguments.seconds, each_second=lambda: peaks.append(server.memory()))
    attempts = {}
    for _ in processes:
        try:
            for key, count in tallies.get(timeout=90).items():
                attempts[key] = attempts.get(key, 0) + count
        except queue.Empty:
            attempts["a process that did not end"] = attempts.get("a process that did not end", 0) + 1
    for process in processes:
        process.terminate()
    lost = honest.missing()
    return {
        "attacker": attacker, "alone": alone, "beside": beside, "slower": beside["p99"] / alone["p99"],
        "memory": max((peak for peak in peaks if peak), default=None), "gone": None in peaks,
        "cpu": server.cpu() - started, "lost": lost, "attempts": attempts,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=".build/release/syncserver")
    parser.add_argument("--migrations", default="Migrations")
    parser.add_argument("--seconds", type=int, default=600, help="how long each attacker has")
    parser.add_argument("--alone", type=int, default=60, help="how long the honest client is timed alone")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--no-rates", action="store_true", help="without rate limits: what the rest bears")
    parser.add_argument("--only", choices=["stranger", "writer"])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    failed = False
    for attacker in [arguments.only] if arguments.only else ["stranger", "writer"]:
        server = Server(arguments.program, arguments.migrations, not arguments.no_rates)
        try:
            seen = besiege(server, attacker, arguments)
        finally:
            server.stop()
        faults = []
        if seen["gone"]:
            faults.append("the server ended")
        if seen["slower"] > SLOWER_MAX:
            faults.append(f"p99 moved by more than {SLOWER_MAX:g}")
        if seen["memory"] is None or seen["memory"] > MEMORY_MAX:
            faults.append(f"memory passed {MEMORY_MAX} MiB")
        if seen["lost"]:
            faults.append(f"{seen['lost']} acknowledged changes are missing")
        if seen["beside"]["failed"]:
            faults.append(f"{seen['beside']['failed']} honest requests were refused")
        failed = failed or bool(faults)
        if arguments.json:
            print(json.dumps(seen | {"faults": faults}), flush=True)
            continue
        print(f"{attacker}, {arguments.connections} connections, {arguments.seconds} s")
        for name in ("alone", "beside"):
            times = seen[name]
            print(f"  honest {name:7} {times['count']:7} requests  p50 {times['p50']:7.2f} ms  p99 {times['p99']:7.2f} ms"
                  f"  worst {times['worst']:8.1f} ms  refused {times['failed']}")
        print(f"  p99 {seen['slower']:.2f} times as long; memory {seen['memory']:.0f} MiB at most; server's CPU"
              f" {seen['cpu']:.0f} s; {seen['lost']} acknowledged changes missing")
        for name, attempt in sorted(seen["attempts"].items()):
            print(f"    {name:28} {attempt}")
        print("  " + ("FAILED: " + "; ".join(faults) if faults else "within its bounds"), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
