"""Each published alert fires in a real Prometheus from a fault that is made, and did not before it was."""
import base64
import http.client
import http.server
import json
import os
import re
import shutil
import ssl
import subprocess
import threading
import time
import urllib.parse
import uuid
from contextlib import ExitStack, contextmanager
from pathlib import Path

from devices import APP, ROOT
from machine import Failed, Machine, eventually, free_port, program, say
from postgres import Postgres
from servers import Servers

RULES = ROOT / "deploy" / "prometheus"
# Everything is asked each second, and a window holds some answers.
WINDOW, FOR = "12s", "2s"
ENTITY, TABLE, VERSION, OLD = "SDProgressEntry", "fitiq.sd_progress_entry", "0.1.1", "0.0.3"
# More than a server has sessions, each into a space of its own: those of one space wait for each other elsewhere.
CROWD = 160
FULL_MIB = 24
BACKFILL = f"""
-- phase: expand
ALTER TABLE {TABLE} ADD COLUMN drill text;
-- phase: backfill
-- migrate: table={TABLE} batch=1
-- sync: silent
UPDATE {TABLE} AS entry SET drill = 'filled' FROM batch
WHERE (entry.space_id, entry.id) = (batch.space_id, batch.id);
"""


def run(machine: Machine, executable: Path, seed: int) -> dict:
    if os.geteuid() != 0:
        raise Failed("This drill fills a file system of its own, which only root may mount: run it from a root shell.")
    site = Site(machine, executable)
    made = {name for names, _ in FAULTS for name in names}
    if (made | set(NOT_MADE)) != site.watch.names:
        raise Failed(f"there are faults for {sorted(made)}, and alerts {sorted(site.watch.names)}")
    try:
        site.start()
        eventually("nothing fires", lambda: not site.watch.firing())
        say(f"nothing is wrong, and none of {len(site.watch.names)} alerts fires")
        for names, fault in FAULTS:
            site.provoke(names, fault)
        for name, query in NOT_MADE.items():
            if not site.watch.query(query):
                raise Failed(f"{name} is of figures that Prometheus does not have: {query}")
            say(f"{name}: no fault is made; its figures are there")
    finally:
        site.disk.stop()
    return {
        "what": f"{len(made)} of {len(site.watch.names)} alerts as published, but for their times, in a real "
                "Prometheus: each was silent, fired when its fault was made, and was silent again when it was mended",
        "times": len(made)}


def shortened(rules: str) -> str:
    """The published rules with shorter times, and nothing else changed."""
    rules = re.sub(r"^(\s+for:) \w+$", rf"\1 {FOR}", rules, flags=re.M)
    rules = re.sub(r"\[\d+[mhd]\]", f"[{WINDOW}]", rules)
    rules = re.sub(r"\[\d+[mhd]:\d+[mh]\]", f"[{WINDOW}:1s]", rules)
    rules = re.sub(r"\boffset \d+[mhd]\b", f"offset {WINDOW}", rules)
    # A time since, and not one until something ends.
    return re.sub(r"(_age_seconds\)?) > 3 \* 86400", rf"\1 > {WINDOW[:-1]}", rules)


class Watch:
    """Prometheus with Debian's exporters, on loopback."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.port = free_port()
        self.rules = [RULES / name for name in ("alerts.yml", "database.yml")]
        self.names = {name for path in self.rules for name in re.findall(r"- alert: (\w+)", path.read_text())}

    def start(self, jobs: dict[str, dict]) -> None:
        for path in self.rules:
            self.machine.write(path.name, shortened(path.read_text()))
        # JSON is YAML, too.
        settings = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s", "scrape_timeout": "1s"},
            "rule_files": [path.name for path in self.rules],
            "scrape_configs": [{"job_name": name, **job} for name, job in jobs.items()]}
        file = self.machine.write("prometheus.yml", json.dumps(settings, indent=1))
        self.machine.run("promtool", "check", "config", file)
        self.machine.start(
            "prometheus", program("prometheus"), f"--config.file={file}",
            f"--storage.tsdb.path={self.machine.folder}/prometheus",
            f"--web.listen-address=127.0.0.1:{self.port}", "--rules.alert.resend-delay=1s")
        eventually("Prometheus reads every target", self.all_up)

    def ask(self, path: str) -> dict:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", path)
            return json.loads(connection.getresponse().read())["data"]
        finally:
            connection.close()

    def query(self, expression: str) -> list[dict]:
        return self.ask("/api/v1/query?query=" + urllib.parse.quote(expression))["result"]

    def all_up(self) -> bool:
        targets = self.ask("/api/v1/targets")["activeTargets"]
        return bool(targets) and all(target["health"] == "up" for target in targets)

    def firing(self) -> dict[str, dict]:
        return {alert["labels"]["alertname"]: alert for alert in self.ask("/api/v1/alerts")["alerts"]
                if alert["state"] == "firing"}


class Site:
    """Servers, a database with a standby and what watches them."""

    def __init__(self, machine: Machine, executable: Path):
        self.machine = machine
        self.primary = Postgres(machine, "primary")
        self.standby = Standby(machine, "standby")
        self.servers = Servers(machine, executable, self.primary.owner)
        self.watch = Watch(machine)
        self.provider = Provider(machine)
        self.archive_fails = machine.folder / "archive-fails"
        self.metrics = {name: free_port() for name in ("a", "b")}
        self.certificate = Endpoint(machine)
        self.disk = Disk(machine)
        self.migrations = machine.folder / "migrations"
        shutil.copytree(executable.parents[1] / "share/syncserver/Migrations", self.migrations)

    def start(self) -> None:
        self.primary.create(
            "wal_level = replica\nmax_wal_senders = 5\nmax_connections = 70\narchive_mode = on\n"
            f"archive_command = 'test ! -e {self.archive_fails}'\narchive_timeout = 2s\n")
        with open(self.primary.data / "pg_hba.conf", "a") as hba:
            hba.write("host replication all 127.0.0.1/32 trust\n")
        self.primary.start()
        self.primary.make_logins()
        # As docs/operations.md has it.
        self.primary.sql("CREATE ROLE prometheus LOGIN IN ROLE pg_monitor", "postgres")
        self.servers.command("migrate", "up")
        self.servers.command("migrate", "up", "--contract")
        self.primary.make_serving_login()
        self.standby.follow(self.primary)
        self.tokens = [self.token(f"person-{number}") for number in range(CROWD)]
        self.servers.database = self.primary.serving
        self.provider.start()
        for name in self.metrics:
            self.serve(name)
        for token in self.tokens[:2]:
            if (status := self.push(token)) != 200:
                raise Failed(f"a push is answered with {status}")
        self.certificate.start(days=90)
        self.disk.start()
        self.start_exporters()

    def serve(self, name: str, *options: str) -> None:
        self.servers.start(
            name, "--metrics-listen", f"127.0.0.1:{self.metrics[name]}", "--identity", self.provider.file,
            *(options or ("--gc-interval", "5s")))

    def start_exporters(self) -> None:
        postgres, node, blackbox = free_port(), free_port(), free_port()
        machine = self.machine
        machine.start(
            "postgres-exporter", program("prometheus-postgres-exporter"), f"--web.listen-address=127.0.0.1:{postgres}",
            DATA_SOURCE_NAME=self.primary.url("prometheus", "postgres") + "?sslmode=disable")
        self.node = node
        self.start_node_exporter()
        modules = machine.write("blackbox.yml", json.dumps({"modules": {"https": {
            "prober": "http", "http": {"tls_config": {"ca_file": str(self.certificate.authority)}}}}}))
        machine.start(
            "blackbox-exporter", program("prometheus-blackbox-exporter"), f"--web.listen-address=127.0.0.1:{blackbox}",
            f"--config.file={modules}")
        self.watch.start({
            "syncserver": targets(*self.metrics.values()),
            # Of a PostgreSQL that is away it says so after a second.
            "postgres": targets(postgres) | {"scrape_interval": "2s", "scrape_timeout": "2s"},
            # The drill's disk alone: others of this machine may be full for reasons of their own.
            "node": targets(node) | {"metric_relabel_configs": [{
                "source_labels": ["mountpoint"], "regex": f"|{self.disk.mount}", "action": "keep"}]},
            "blackbox": {
                "metrics_path": "/probe", "params": {"module": ["https"], "target": [self.certificate.url]},
                "static_configs": [{
                    "targets": [f"127.0.0.1:{blackbox}"], "labels": {"instance": self.certificate.url}}],
            }})

    def start_node_exporter(self) -> None:
        self.machine.start(
            "node-exporter", program("prometheus-node-exporter"), f"--web.listen-address=127.0.0.1:{self.node}",
            "--collector.disable-defaults", "--collector.filesystem",
            "--collector.filesystem.mount-points-exclude=^/(proc|sys|dev)($|/)")

    def provoke(self, wanted: list[str], fault) -> None:
        """Silent before; firing under the fault; silent again when it is mended."""
        if early := set(wanted) & set(self.watch.firing()):
            raise Failed(f"{sorted(early)} fired before the fault was made")
        with fault(self):
            started = time.monotonic()
            left = set(wanted)

            def all_fire() -> bool:
                left.difference_update(self.watch.firing())
                return not left

            try:
                eventually("", all_fire, 90)
            except Failed as failure:
                values = {alert["labels"]["alertname"]: alert["state"]
                          for alert in self.watch.ask("/api/v1/alerts")["alerts"]}
                raise Failed(f"{sorted(left)} did not fire within 90 s; there are {values}") from failure
            firing = self.watch.firing()
            for name in set(wanted) & set(firing):
                check_runbook(firing[name])
            others = set(firing) - set(wanted)
            say(f"{', '.join(wanted)}: after {time.monotonic() - started:.0f} s"
                + (f"; also {', '.join(sorted(others))}" if others else ""))
        eventually("silence after the fault was mended", lambda: not self.watch.firing(), 120)

    def token(self, subject: str) -> str:
        said = self.servers.command("token", "create", "--app", APP, "--subject", subject, "--role", "write")
        return re.search(r"sync_[A-Za-z0-9_-]{43}", said)[0]

    def push(self, token: str, server: str = "a", timeout: float = 30) -> int:
        fields = {"date": "2026-01-01T00:00:00Z", "type": "weight", "quantity": 1.5, "notes": "drill"}
        change = {"entity": ENTITY, "id": str(uuid.uuid4()), "op": "create", "fields": fields}
        return self.ask(token, "POST", server, timeout=timeout, body=json.dumps({"changes": [change]}))

    def ask(
        self, token: str, method: str = "GET", server: str = "a", version: str = VERSION, timeout: float = 30,
        body: str | None = None
    ) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.servers.ports[server], timeout=timeout)
        try:
            connection.request(
                method, f"/v1/apps/{APP}/spaces/me/changes", body=body,
                headers={"Authorization": f"Bearer {token}", "Schema-Version": version,
                         "Content-Type": "application/json"})
            answer = connection.getresponse()
            self.said = answer.read().decode()
            return answer.status
        finally:
            connection.close()

    def write_migration(self, name: str, text: str) -> None:
        (self.migrations / "fitiq" / f"{name}.sql").write_text(text)

    def migrate(self, *words: str, check: bool = True) -> str:
        return self.machine.run(
            self.servers.executable, "migrate", *words, check=check, DATABASE_URL=self.primary.owner,
            SYNC_MIGRATIONS=self.migrations)

    @contextmanager
    def traffic(self, work, count: int = 1):
        """Somebody does something again and again meanwhile."""
        ends = threading.Event()

        def again(number: int) -> None:
            while not ends.is_set():
                try:
                    work(number)
                except (OSError, http.client.HTTPException):
                    pass
                # The pace of those who ask, who need not be in a hurry.
                ends.wait(0.1)

        threads = [threading.Thread(target=again, args=(number,), daemon=True) for number in range(count)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            ends.set()
            for thread in threads:
                thread.join(60)

    @contextmanager
    def session(self, *statements: str):
        """A session of an administrator's that stays open after its statements."""
        process = subprocess.Popen(
            self.machine.command([
                self.primary.programs / "psql", "--host", self.machine.folder, "--port", self.primary.port,
                "--username", "postgres", "--dbname", "sync", "-Atq", "-v", "ON_ERROR_STOP=1"]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        process.stdin.write("\n".join([*statements, "\\echo ready", ""]))
        process.stdin.flush()
        if process.stdout.readline() != "ready\n":
            raise Failed("an administrator's session did not open")
        try:
            yield process
        finally:
            process.stdin.close()
            process.wait(30)


def check_runbook(alert: dict) -> None:
    """Whoever is woken finds on the page what it means."""
    name = alert["labels"]["alertname"]
    if alert["labels"].get("severity") not in ("page", "ticket"):
        raise Failed(f"{name} does not say how severe it is")
    page, _, anchor = alert["annotations"].get("runbook", "").partition("#")
    if anchor != name.lower() or f"\n### {name}\n" not in (ROOT / page).read_text():
        raise Failed(f"{name} names no section of a page: ‘{page}#{anchor}’")


def targets(*ports: int) -> dict:
    return {"static_configs": [{"targets": [f"127.0.0.1:{port}" for port in ports]}]}


class Standby(Postgres):
    """A cluster that follows another, by a slot."""

    def follow(self, primary: Postgres) -> None:
        self.machine.run(
            primary.programs / "pg_basebackup", "--dbname", primary.url("postgres", "postgres"),
            "--pgdata", self.data, "--write-recovery-conf", "--checkpoint=fast", "--create-slot", "--slot=standby")
        self.configure("hot_standby = on\narchive_mode = off\ncluster_name = 'standby'\n")
        self.start_standby()

    def start_standby(self) -> None:
        self.machine.start(self.name, self.programs / "postgres", "-D", self.data)
        eventually("the standby follows", lambda: self.sql("SELECT status FROM pg_stat_wal_receiver") == "streaming")


class Provider:
    """An identity provider that can be away."""

    def __init__(self, machine: Machine):
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.file = machine.write("identity.json", json.dumps({"issuers": [{
            "issuer": self.issuer, "audiences": ["drill"], "subjectPrefix": "drill:", "allowPrivateAddresses": True}]}))
        # Its public half alone; nobody signs in here.
        key = machine.folder / "provider.pem"
        machine.run("openssl", "genrsa", "-out", key, "2048")
        modulus = machine.run("openssl", "rsa", "-in", key, "-noout", "-modulus").strip().split("=")[-1]
        number = urlsafe(bytes.fromhex(modulus))
        self.keys = {"keys": [{
            "kty": "RSA", "kid": "drill", "use": "sig", "alg": "RS256", "n": number, "e": "AQAB"}]}

    def start(self) -> None:
        answers = {
            "/.well-known/openid-configuration": {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys"},
            "/keys": self.keys}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps(answers.get(self.path, {})).encode()
                self.send_response(200 if self.path in answers else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def urlsafe(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Endpoint:
    """A proxy as the world sees it: TLS, with a certificate that ends some day."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}/"
        self.authority = machine.folder / "endpoint.pem"

    def start(self, days: int) -> None:
        key = self.machine.folder / "endpoint.key"
        self.machine.run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            str(days), "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-out", self.authority,
            "-keyout", key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authority, key)
        handler = http.server.SimpleHTTPRequestHandler

        class Quiet(handler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Quiet)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Disk:
    """A small file system of its own in a file: one in memory would be left out by the rule."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.mount = machine.folder / "disk"
        self.mounted = False

    def start(self) -> None:
        image = self.machine.folder / "disk.img"
        self.mount.mkdir()
        with open(image, "wb") as file:
            file.truncate(FULL_MIB << 20)
        for line in (
                [program("mkfs.ext4"), "-q", "-m", "0", image], [program("mount"), "-o", "loop", image, self.mount]):
            done = subprocess.run([str(word) for word in line], capture_output=True, text=True)
            if done.returncode:
                raise Failed(f"a disk in a file cannot be mounted here: {done.stderr}")
        self.mounted = True
        self.mount.chmod(0o755)

    def stop(self) -> None:
        if self.mounted:
            subprocess.run([program("umount"), str(self.mount)], check=True)
            self.mounted = False


@contextmanager
def server_is_gone(site: Site):
    site.machine.kill("b")
    yield
    site.serve("b")


@contextmanager
def database_is_gone(site: Site):
    with site.traffic(lambda _: site.push(site.tokens[0])):
        site.primary.stop()
        yield
        site.primary.start()
        eventually("the standby follows again", lambda: site.standby.sql(
            "SELECT status FROM pg_stat_wal_receiver") == "streaming")


@contextmanager
def privilege_is_missing(site: Site):
    """Somebody has tidied up by hand."""
    site.primary.sql(f"REVOKE ALL ON {TABLE} FROM syncserver_serving")
    try:
        with site.traffic(lambda _: site.push(site.tokens[0])):
            yield
    finally:
        site.primary.sql(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {TABLE} TO syncserver_serving")


@contextmanager
def table_refuses(site: Site):
    site.primary.sql(f"ALTER TABLE {TABLE} ADD CONSTRAINT drill CHECK (notes <> 'drill') NOT VALID")
    try:
        site.push(site.tokens[0])
        yield
    finally:
        site.primary.sql(f"ALTER TABLE {TABLE} DROP CONSTRAINT drill")
    site.servers.command("quarantine", "replay", "--all", database=site.primary.owner)


@contextmanager
def value_is_no_value(site: Site):
    site.primary.sql(f"UPDATE {TABLE} SET quantity = 'NaN'")
    # Nobody is sent a record again that has no new number.
    token = site.tokens[0]
    for _ in range(2):
        site.ask(token)
        site.ask(token, version=OLD)
    yield
    site.primary.sql(f"UPDATE {TABLE} SET quantity = 1")


@contextmanager
def pushes_are_slow(site: Site):
    """A session by hand that locks the table for two seconds, again and again."""
    ends = threading.Event()

    def lock() -> None:
        while not ends.is_set():
            site.primary.sql(f"BEGIN; LOCK TABLE {TABLE}; SELECT pg_sleep(2); COMMIT")

    thread = threading.Thread(target=lock, daemon=True)
    thread.start()
    try:
        with site.traffic(lambda number: site.push(site.tokens[number]), 4):
            yield
    finally:
        ends.set()
        thread.join(30)


@contextmanager
def table_is_locked(site: Site):
    """A session by hand that holds the table, and everybody pushes."""
    with site.traffic(lambda number: site.push(site.tokens[number], "ab"[number % 2]), CROWD), site.session(
            "BEGIN;", f"LOCK TABLE {TABLE};"):
        yield


@contextmanager
def many_wait_for_a_lock(site: Site):
    """Sessions of others, since servers whose own sessions all wait have none left to ask how many do."""
    with ExitStack() as stack:
        holder = stack.enter_context(site.session("BEGIN;", f"LOCK TABLE {TABLE};"))
        for _ in range(15):
            waiting = stack.enter_context(site.session())
            waiting.stdin.write(f"SELECT count(*) FROM {TABLE};\n")
            waiting.stdin.flush()
        # It gives the lock back before they are waited for.
        stack.callback(holder.stdin.close)
        yield


@contextmanager
def provider_is_away(site: Site):
    site.provider.stop()
    site.machine.stop("b")
    site.serve("b")
    yield
    site.provider.start()
    site.machine.stop("b")
    site.serve("b")


@contextmanager
def migration_fails(site: Site):
    """One that cannot be run, and is mended as its author would."""
    site.write_migration("0012-ask-drill", "-- phase: expand\nSELECT 1 / 0;\n")
    said = site.migrate("up", check=False)
    if "division by zero" not in said:
        raise Failed(f"a migration should have failed: {said}")
    yield
    site.write_migration("0012-ask-drill", "-- phase: expand\nSELECT 1;\n")
    site.migrate("up")


@contextmanager
def backfill_stands_still(site: Site):
    """Its runner is killed in the middle of many rows, and later another goes on."""
    site.write_migration("0013-fill-drill", BACKFILL)
    # Slow enough to be met at work: a row at a time, and a hundredth of it.
    site.machine.start(
        "runner", site.servers.executable, "migrate", "up", "--share", "1", DATABASE_URL=site.primary.owner,
        SYNC_MIGRATIONS=site.migrations)
    # Two, so that a batch was done since the first.
    done = "SELECT coalesce(max(rows_done), 0) FROM sync.migration_step WHERE state <> 'done' AND phase = 'backfill'"
    eventually("the backfill is at work", lambda: int(site.primary.sql(done)) > 1)
    site.machine.kill("runner")
    yield
    site.migrate("up", "--share", "100")


@contextmanager
def version_is_retired(site: Site):
    site.servers.command(
        "version", "retire", "--app", APP, "--force", OLD, database=site.primary.owner)
    try:
        with site.traffic(lambda _: site.ask(site.tokens[0], version=OLD)):
            yield
    finally:
        site.servers.command("version", "restore", "--app", APP, OLD, database=site.primary.owner)


@contextmanager
def nobody_collects(site: Site):
    for name in ("a", "b"):
        site.machine.stop(name)
        site.serve(name, "--no-gc")
    yield
    for name in ("a", "b"):
        site.machine.stop(name)
        site.serve(name)


@contextmanager
def replay_stands_still(site: Site):
    site.standby.sql("SELECT pg_wal_replay_pause()", "postgres")
    with site.traffic(lambda _: site.push(site.tokens[0])):
        yield
    site.standby.sql("SELECT pg_wal_replay_resume()", "postgres")


@contextmanager
def standby_is_gone(site: Site):
    site.machine.kill("standby")
    yield
    site.standby.start_standby()


@contextmanager
def archive_fails(site: Site):
    site.archive_fails.touch()
    # Something to archive: where PostgreSQL was started a while ago, archive_timeout makes it minutes later.
    site.push(site.tokens[0])
    site.primary.sql("SELECT pg_switch_wal()")
    yield
    site.archive_fails.unlink()


@contextmanager
def disk_is_full(site: Site):
    filler = site.disk.mount / "filler"
    filler.write_bytes(b"x" * ((FULL_MIB - 4) << 20))
    yield
    filler.unlink()


@contextmanager
def connections_are_taken(site: Site):
    with ExitStack() as stack:
        taken = int(site.primary.sql("SELECT count(*) FROM pg_stat_activity"))
        for _ in range(66 - taken):
            stack.enter_context(site.session())
        yield


@contextmanager
def certificate_ends(site: Site):
    site.certificate.stop()
    site.certificate.start(days=5)
    yield
    site.certificate.stop()
    site.certificate.start(days=90)


@contextmanager
def endpoint_is_gone(site: Site):
    site.certificate.stop()
    yield
    site.certificate.start(days=90)


@contextmanager
def exporter_is_gone(site: Site):
    site.machine.kill("node-exporter")
    yield
    site.start_node_exporter()


# Of the 1.4 GB nothing that clients may send takes as much, and no other fault is known. It is a guard against one.
NOT_MADE = {"SyncserverMemory": 'process_resident_memory_bytes{job="syncserver"} > 1e6'}
FAULTS = [
    (["SyncserverDown"], server_is_gone),
    (["SyncserverRefusesPushes", "PostgresDown"], database_is_gone),
    (["SyncserverFails"], privilege_is_missing),
    (["SyncserverHoldsChanges"], table_refuses),
    (["SyncserverLensFaults"], value_is_no_value),
    (["SyncserverSlow"], pushes_are_slow),
    (["SyncserverWaitsForDatabase"], table_is_locked),
    (["SyncserverLocks"], many_wait_for_a_lock),
    (["SyncserverIssuerKeys"], provider_is_away),
    (["SyncserverStrands"], version_is_retired),
    (["SyncserverCollectsNothing"], nobody_collects),
    (["ReplicationLag"], replay_stands_still),
    (["StandbyAway"], standby_is_gone),
    (["WALGrows"], archive_fails),
    (["DiskFull"], disk_is_full),
    (["ConnectionsNearTheirLimit"], connections_are_taken),
    (["CertificateEnds"], certificate_ends),
    (["ProbeFails"], endpoint_is_gone),
    (["ExporterDown"], exporter_is_gone),
    (["SyncserverMigrationFailed"], migration_fails),
    (["SyncserverBackfillStuck"], backfill_stands_still),
]
