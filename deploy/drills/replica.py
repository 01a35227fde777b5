"""Large pages are read from a standby by streaming replication, which lags, stops and comes back under a fleet."""
import json
import time
import uuid
from http.client import HTTPConnection
from pathlib import Path

from devices import APP, ENTITY, TEXT, VERSIONS, Devices, summary
from machine import Failed, Machine, eventually, free_port, say
from postgres import Postgres
from servers import Servers

DEVICES = 6
RECORDS = 20_000
WALKS = 6


def run(machine: Machine, executable: Path, seed: int) -> dict:
    primary = Postgres(machine, "primary")
    primary.create("wal_level = replica\nmax_wal_senders = 5\n")
    with open(primary.data / "pg_hba.conf", "a") as hba:
        hba.write("host replication all 127.0.0.1/32 trust\n")
    primary.start()
    primary.make_logins()
    servers = Servers(machine, executable, primary.owner)
    servers.command("migrate", "up")
    primary.make_serving_login()
    standby = follow(machine, primary)
    token, space = servers.share()
    servers.database = primary.serving
    servers.variables["STANDBY_URL"] = standby.serving
    metrics = free_port()
    servers.start("server", "--metrics-listen", f"127.0.0.1:{metrics}")
    servers.balance()
    client = Client(servers.port, token, space)
    client.fill(RECORDS)

    with Devices(servers.url, token, space, DEVICES, seed) as devices:
        eventually("the fleet is served", lambda: len(devices.promises.served) > 50)
        since = time.monotonic()
        # While it follows: new devices read all, and what they read is what the primary has.
        for _ in range(WALKS):
            client.walk()
        from_standby = pages(metrics, "read")
        say(f"{WALKS} new devices read {RECORDS:,} records each, {from_standby:.0f} pages from the standby")
        if not from_standby:
            raise Failed("no page came from the standby")
        # While it stands still: nobody is shown less than the primary has.
        standby.sql("SELECT pg_wal_replay_pause()")
        time.sleep(2)
        before, behind = len(devices.promises.acknowledged), pages(metrics, "behind")
        known = set(devices.promises.acknowledged)
        if missing := known - client.walk():
            raise Failed(f"{len(missing)} of {before} acknowledged records were not shown beside a standby that lags")
        if pages(metrics, "behind") == behind:
            raise Failed("the standby was not found to be behind")
        say("its replay was paused: the primary's pages were read instead, and nobody saw less")
        standby.sql("SELECT pg_wal_replay_resume()")
        machine.kill("standby")
        known = set(devices.promises.acknowledged)
        if missing := known - client.walk():
            raise Failed(f"{len(missing)} acknowledged records were not shown without a standby")
        say("it was killed: nobody noticed")
        standby.start_standby()
        time.sleep(6)
        read = pages(metrics, "read")
        eventually("pages come from it again", lambda: client.walk() and pages(metrics, "read") > read)
        gap = devices.promises.longest_gap(since)
    kept = devices.check()
    return {
        "what": f"{from_standby:.0f} large pages from a standby beside {DEVICES} devices; it was paused, killed and "
                f"came back: nobody was shown less than the primary had; all of {kept} acknowledged records kept",
        "times": 3, "lost": 0, "gap": summary([gap])}


def follow(machine: Machine, primary: Postgres) -> "Follower":
    standby = Follower(machine, "standby")
    machine.run(
        primary.programs / "pg_basebackup", "--dbname", primary.url("postgres", "postgres"), "--pgdata", standby.data,
        "--write-recovery-conf", "--checkpoint=fast")
    standby.configure("hot_standby = on")
    standby.start_standby()
    return standby


class Follower(Postgres):
    def start_standby(self) -> None:
        self.machine.start(self.name, self.programs / "postgres", "-D", self.data)
        eventually("the standby serves", lambda: self.sql("SELECT pg_is_in_recovery()", "postgres") == "t")


def pages(port: int, outcome: str) -> float:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    for line in text.splitlines():
        if line.startswith(f'syncserver_standby_pages_total{{outcome="{outcome}"}}'):
            return float(line.split()[-1])
    raise Failed("the server has no metric of its standby")


class Client:
    """Reads and fills a space, without a store."""

    def __init__(self, port: int, token: str, space: str):
        self.port, self.path = port, f"/v1/apps/{APP}/spaces/{space}/changes"
        self.headers = {"Authorization": f"Bearer {token}", "Schema-Version": VERSIONS[-1],
                        "Content-Type": "application/json"}

    def _ask(self, method: str, target: str, body: bytes | None = None) -> dict:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, target, body, self.headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status != 200:
            raise Failed(f"{method} was answered {answer.status}: {text[:200]}")
        return json.loads(text)

    def fill(self, count: int) -> None:
        for _ in range(count // 1000):
            changes = [{"entity": ENTITY, "id": str(uuid.uuid4()), "op": "create",
                        "stamp": int(time.time() * 1000) << 11, "fields": {TEXT: "text " * 20}} for _ in range(1000)]
            self._ask("POST", self.path, json.dumps({"changes": changes}).encode())

    def walk(self) -> set[str]:
        """All records, as a new device reads them."""
        seen, cursor = set(), None
        while True:
            page = self._ask("GET", f"{self.path}?limit=5000" + (f"&cursor={cursor}" if cursor else ""))
            seen |= {change["id"] for change in page["changes"]}
            cursor = page["cursor"]
            if not page["more"]:
                return seen
