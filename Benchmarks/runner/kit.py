"""The benchmark kit, which lies outside the repository: where it is, its builds, its PostgreSQL, its Python module."""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
BENCHMARKS = REPOSITORY / "Benchmarks"


class BenchError(Exception):
    """Why there are no figures, in a sentence that says what to do."""


def find_kit() -> Path:
    """The kit's folder: $BENCH_KIT, or `../shared/bench` beside the checkout, or beside that which a worktree is of."""
    said = os.environ.get("BENCH_KIT")
    checkout = subprocess.run(
        ["git", "rev-parse", "--path-format=absolute", "--git-common-dir"],
        cwd=REPOSITORY, capture_output=True, text=True)
    beside = [REPOSITORY.parent / "shared" / "bench"]
    if checkout.returncode == 0:
        beside.append(Path(checkout.stdout.strip()).parent.parent / "shared" / "bench")
    for folder in [Path(said)] if said else beside:
        if (folder / "bench.py").is_file() and (folder / "pg.sh").is_file():
            return folder.resolve()
    looked = said or " or ".join(str(folder) for folder in dict.fromkeys(beside))
    raise BenchError(f"There is no benchmark kit in {looked}. Set BENCH_KIT to the folder that has its bench.py.")


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def port_is_taken(port: int) -> bool:
    """Whether somebody listens on the port of 127.0.0.1."""
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


class Records:
    """The kit's records, made from a pool: ids are new each time, the rest repeats, which takes far less time."""

    def __init__(self, original: ModuleType, size: int = 20_000) -> None:
        self.pool = original.records(size, "pool")
        self.dumps = original.dumps

    @staticmethod
    def new_id(source: random.Random) -> str:
        """A version 4 UUID."""
        digits = f"{source.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def record(self, source: random.Random, id: str | None = None) -> dict[str, Any]:
        """One record, of an id that is given or new."""
        return {**self.pool[int(source.random() * len(self.pool))], "id": id or self.new_id(source)}

    def records(self, count: int, seed: object) -> list[dict[str, Any]]:
        """So many new records, the same for the same seed."""
        source = random.Random(str(seed))
        return [self.record(source) for _ in range(count)]


def quick_plan(original: type) -> type:
    """The kit's plan, that its load generator reads in no time.

    That uses sscanf, which looks for the end of the whole text at every request: half a minute for fifty megabytes. It
    skips what ends a request without a look, so that may as well be the zero that ends a text.
    """
    class Plan(original):
        def op(
            self, head: str, body: str = "", timed: int = 1, follow: int = 0, cap: int = 0, kind: str = "R"
        ) -> None:
            first, rest = head.encode(), body.encode()
            self.f.write(b"%s %d %d %d %d %d\n" % (kind.encode(), timed, follow, cap, len(first), len(rest)))
            self.f.write(first + rest + b"\0")
            self.n += 1

    return Plan


class Kit:
    """The kit, set up in a folder of its own: built, its module imported, its PostgreSQL running.

    What was running when it came stays when it goes.
    """

    def __init__(self, folder: Path, noisy: bool) -> None:
        self.folder = folder
        self.noisy = noisy
        temporary = os.environ.get("TMPDIR", "/tmp")
        self.state = Path(os.environ.get("PEERS") or os.path.join(temporary, "syncserver-bench"))
        self._started_postgres = False
        for name in ("run", "logs"):
            (self.state / name).mkdir(parents=True, exist_ok=True)
        self._lock = open(self.state / "run" / "lock", "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BenchError(f"Another run is at work in {self.state}. Wait for it, or set PEERS.") from None
        os.environ["PEERS"] = str(self.state)
        os.environ |= {"PGHOST": str(self.state), "PGPORT": str(self._port()), "PGUSER": "postgres"}
        if "PGBIN" not in os.environ and not Path("/usr/lib/postgresql/15/bin").is_dir():
            installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
            if installed:
                os.environ["PGBIN"] = str(installed[-1])
        self.binaries = os.environ.get("PGBIN", "/usr/lib/postgresql/15/bin")
        sys.path[:0] = [str(folder), str(folder / "load"), str(folder / "peers")]
        self.bench = importlib.import_module("bench")
        self.records = Records(self.bench.R)
        self.bench.R = self.records
        self.bench.wait_quiet = self._wait_quiet
        self.bench.Plan = quick_plan(self.bench.Plan)

    def _port(self) -> int:
        """PostgreSQL's port: the one of the cluster that is there, or a free one."""
        settings = self.state / "pg" / "postgresql.conf"
        if settings.is_file():
            for line in settings.read_text().splitlines():
                if line.startswith("port ="):
                    return int(line.split("=")[1])
        return int(os.environ.get("PGPORT") or free_port())

    # ------------------------------------------------------------ builds
    def build(self) -> Path:
        """Compiles the kit, our own generators and the server, unless $BENCH_SERVER names one; the server's path."""
        run([str(self.folder / "build.sh")], "The kit does not build")
        for source in sorted((BENCHMARKS / "load").glob("*.c")):
            run(
                ["cc", "-O2", "-w", "-pthread", f"-I{self.folder / 'load'}", "-o", str(self.state / source.stem),
                 str(source)], f"{source.name} does not build")
        said = os.environ.get("BENCH_SERVER")
        if not said:
            run(
                ["swift", "build", "-c", "release", "--package-path", str(BENCHMARKS), "--product", "BenchServer"],
                "BenchServer does not build")
            os.environ["BENCH_SERVER"] = str(BENCHMARKS / ".build" / "release" / "BenchServer")
        server = Path(os.environ["BENCH_SERVER"])
        if not os.access(server, os.X_OK):
            raise BenchError(f"There is no server in {server}. Leave BENCH_SERVER away, and it is built.")
        return server

    # ------------------------------------------------------------ PostgreSQL
    def start_postgres(self) -> None:
        """Starts the kit's cluster, unless it runs."""
        if subprocess.run([str(self.folder / "pg.sh"), "status"], capture_output=True).returncode == 0:
            return
        # Set first: what a start that is interrupted has left is ours to end, too.
        self._started_postgres = True
        run([str(self.folder / "pg.sh"), "start"], f"PostgreSQL does not start, see {self.state / 'pg' / 'server.log'}")

    def stop(self) -> None:
        """Ends PostgreSQL if this invocation has started it, and clears away what an interrupted run has left."""
        for plan in self.state.glob("plan-*"):
            plan.unlink()
        if self._started_postgres:
            subprocess.run([str(self.folder / "pg.sh"), "stop"], capture_output=True)
            self._started_postgres = False

    def psql(self, sql: str, database: str = "postgres") -> str:
        """What a statement answers, as unaligned text."""
        command = [f"{self.binaries}/psql", "-h", str(self.state), "-p", os.environ["PGPORT"], "-U", "postgres"]
        done = subprocess.run(
            command + ["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, database], capture_output=True, text=True)
        if done.returncode != 0:
            raise BenchError(f"PostgreSQL refuses ‘{sql[:80]}’: {done.stderr.strip()}")
        return done.stdout.strip()

    def drop_database(self, name: str) -> None:
        """Drops a database of this cluster, and whoever is connected to it."""
        self.psql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def copy_rows(self, database: str, table: str, space: str, numbers: str, derived: dict[str, str]) -> None:
        """Copies a space's rows of a table for each number `n`; the columns that are named get an expression of `n`
        and of the original `o`."""
        schema, name = table.split(".")
        columns = self.psql(
            "SELECT string_agg(column_name, ',' ORDER BY ordinal_position) FROM information_schema.columns "
            f"WHERE (table_schema, table_name) = ('{schema}', '{name}')", database).split(",")
        values = ", ".join(derived.get(column, f"o.{column}") for column in columns)
        self.psql(
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM {numbers} AS n "
            f"CROSS JOIN (SELECT * FROM {table} WHERE space_id = '{space}') AS o", database)

    def forget(self, name: str) -> None:
        """Forgets what a target has cached about its spaces."""
        for path in (self.state / "run").glob(f"{name}-*.json"):
            path.unlink()

    # ------------------------------------------------------------ load
    def generate(self, target: Any, plan: Any, program: str, environment: dict[str, str], **options: Any) -> Any:
        """As the kit's `load`, by a generator of ours in Benchmarks/load: the lines of JSON that it printed."""
        command = [str(self.state / program), "--port", str(target.port), "--plan", plan.done()]
        command += list(options.get("opts", ()))
        for name in ("duration", "needle"):
            if options.get(name):
                command += [f"--{name}", str(options[name])]
        if options.get("loop"):
            command += ["--loop"]
        done = subprocess.run(command, capture_output=True, env={**os.environ, **environment})
        os.unlink(plan.f.name)
        try:
            return [json.loads(line) for line in done.stdout.splitlines()]
        except ValueError:
            raise BenchError(f"{program} failed: {done.stderr.decode(errors='replace')[:500]}") from None

    @contextlib.contextmanager
    def loaded(self, target: Any, plan: Any, duration: float) -> Iterator[None]:
        """Within it the kit's load generator is at work beside."""
        command = [str(self.state / "loadgen"), "--port", str(target.port), "--plan", plan.done()]
        process = subprocess.Popen(
            command + ["--duration", str(duration)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.terminate()
            process.wait()

    def _wait_quiet(self, limit: float = 0.10, most: float = 20) -> None:
        """In place of the kit's: waits, not as long, for other load to end and for autovacuum to be through."""
        end = time.time() + most
        while not self.noisy and time.time() < end:
            workers = self.psql("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'")
            busy, _ = self.bench.machine_busy()
            time.sleep(0.3)
            if workers == "0" and self.bench.machine_busy()[0] - busy < limit * 0.3:
                return


def run(command: list[str], complaint: str) -> None:
    """Runs a command; if it fails, its last lines are the reason."""
    if shutil.which(command[0]) is None:
        raise BenchError(f"{complaint}: there is no ‘{command[0]}’ here.")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise BenchError(f"{complaint}:\n" + "\n".join(done.stdout.splitlines()[-15:]))
