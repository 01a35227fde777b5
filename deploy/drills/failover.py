"""The primary is killed under a fleet, again and again: Patroni with three nodes, a synchronous standby, HAProxy."""
import json
import random
import time
import urllib.request
from pathlib import Path

from devices import Devices, summary
from machine import POSTGRES, Failed, Machine, eventually, free_port, program, say
from servers import Servers

NODES = ["one", "two", "three"]
DEVICES = 9


class Patroni:
    """Three nodes of PostgreSQL, three of etcd, and the port where the primary is."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.port = free_port()
        self.ports = {node: (free_port(), free_port()) for node in NODES}

    def start(self) -> None:
        self._start_etcd()
        for node in NODES:
            self._write(node)
            self.start_node(node)
            if node == NODES[0]:
                eventually("the first node leads", self.leader)
        self._start_balancer()
        eventually("a synchronous standby", self.is_synchronous, patience=180)

    def _start_etcd(self) -> None:
        peers = {node: (free_port(), free_port()) for node in NODES}
        self.etcd = ",".join(f"127.0.0.1:{client}" for client, _ in peers.values())
        cluster = ",".join(f"{node}=http://127.0.0.1:{peer}" for node, (_, peer) in peers.items())
        for node, (client, peer) in peers.items():
            self.machine.start(
                f"etcd-{node}", program("etcd"), "--name", node, "--data-dir", self.machine.folder / f"etcd-{node}",
                "--listen-client-urls", f"http://127.0.0.1:{client}",
                "--advertise-client-urls", f"http://127.0.0.1:{client}",
                "--listen-peer-urls", f"http://127.0.0.1:{peer}",
                "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
                "--initial-cluster", cluster, "--log-level", "error")
        first = self.etcd.split(",")[0]
        eventually("etcd has a leader", lambda: ask(f"http://{first}/health").get("health") == "true")

    def _write(self, node: str) -> None:
        port, rest = self.ports[node]
        # JSON is YAML. `ttl` is the least that Patroni takes: how long a lost machine's lease lasts.
        self.machine.write(f"{node}.yml", json.dumps({
            "scope": "drill", "name": node,
            "restapi": {"listen": f"127.0.0.1:{rest}", "connect_address": f"127.0.0.1:{rest}"},
            "etcd3": {"hosts": self.etcd},
            "bootstrap": {
                "dcs": {
                    "ttl": 20, "loop_wait": 2, "retry_timeout": 5, "primary_start_timeout": 0,
                    "master_start_timeout": 0, "maximum_lag_on_failover": 1 << 20,
                    # Nothing is acknowledged that only one machine has.
                    "synchronous_mode": True, "synchronous_mode_strict": True,
                    "postgresql": {"use_pg_rewind": True, "use_slots": True},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"],
                "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust",
                           "local all all trust"],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{port}", "connect_address": f"127.0.0.1:{port}",
                "data_dir": str(self.machine.folder / f"data-{node}"), "bin_dir": str(POSTGRES[0]),
                "pgpass": str(self.machine.folder / f"pgpass-{node}"),
                "authentication": {
                    "superuser": {"username": "postgres", "password": "drill"},
                    "replication": {"username": "replicator", "password": "drill"},
                    "rewind": {"username": "rewinder", "password": "drill"},
                },
                "parameters": {
                    "unix_socket_directories": str(self.machine.folder), "shared_buffers": "64MB",
                    "max_connections": 60, "wal_keep_size": "256MB",
                },
            },
        }))

    def start_node(self, node: str) -> None:
        self.machine.start(f"patroni-{node}", program("patroni"), self.machine.folder / f"{node}.yml")

    def _start_balancer(self) -> None:
        servers = "\n".join(
            f"  server {node} 127.0.0.1:{port} check port {rest} inter 500ms fall 2 rise 1 "
            "on-marked-down shutdown-sessions" for node, (port, rest) in self.ports.items())
        settings = self.machine.write("database.cfg", f"""
global
  maxconn 300
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen primary
  bind 127.0.0.1:{self.port}
  option httpchk OPTIONS /primary
  http-check expect status 200
{servers}
""")
        self.machine.start("database", program("haproxy"), "-db", "-f", settings)

    def members(self) -> list[dict]:
        for _, rest in self.ports.values():
            try:
                return ask(f"http://127.0.0.1:{rest}/cluster")["members"]
            except OSError:
                continue
        return []

    def leader(self) -> str | None:
        for node, (_, rest) in self.ports.items():
            try:
                if ask(f"http://127.0.0.1:{rest}/primary").get("role") in ("primary", "master"):
                    return node
            except OSError:
                continue
        return None

    def is_synchronous(self) -> bool:
        return any(member["role"] == "sync_standby" for member in self.members())

    def is_whole(self) -> bool:
        states = [member for member in self.members() if member["state"] in ("running", "streaming")]
        return len(states) == len(NODES) and self.is_synchronous()

    def url(self, user: str) -> str:
        return f"postgresql://{user}:drill@127.0.0.1:{self.port}/postgres"


def ask(url: str) -> dict:
    with urllib.request.urlopen(url, timeout=3) as answer:
        return json.loads(answer.read())


def run(machine: Machine, executable: Path, seed: int, times: int = 20) -> dict:
    patroni = Patroni(machine)
    patroni.start()
    say("three nodes, one leads, one is in step")
    owner = patroni.url("postgres")
    servers = Servers(machine, executable, patroni.url("sync_server"))
    servers.command("migrate", "up", database=owner)
    machine.run("psql", owner, "-qc", "CREATE ROLE sync_server LOGIN PASSWORD 'drill' IN ROLE syncserver_serving")
    servers.database = owner
    token, space = servers.share()
    servers.database = patroni.url("sync_server")
    for name in ("server-1", "server-2"):
        servers.start(name)
    servers.balance()

    kinds, gaps = [place % 2 == 0 for place in range(times)], []
    random.Random(seed).shuffle(kinds)
    with Devices(servers.url, token, space, DEVICES, seed) as devices:
        eventually("the fleet is served", lambda: len(devices.promises.served) > 50)
        for time_of in range(times):
            node = eventually("a leader", patroni.leader)
            eventually("all nodes are back", patroni.is_whole, patience=240)
            since = time.monotonic()
            # Either the machine is lost, and its lease must run out; or only PostgreSQL is.
            is_machine = kinds[time_of]
            if is_machine:
                machine.kill(f"patroni-{node}")
            else:
                postmaster = (machine.folder / f"data-{node}" / "postmaster.pid").read_text().split()[0]
                machine.run("kill", "-KILL", postmaster)
            before = len(devices.promises.served)
            eventually("another node leads", lambda: patroni.leader() not in (None, node) or (
                not is_machine and patroni.leader()), patience=120)
            eventually("the fleet is served again", lambda: len(devices.promises.served) > before + DEVICES, 180)
            gaps.append(devices.promises.longest_gap(since))
            what = "machine" if is_machine else "PostgreSQL"
            say(f"{time_of + 1} of {times}: lost the {what} of {node}, {gaps[-1]:.1f} s without service")
            if is_machine:
                patroni.start_node(node)
    kept = devices.check()
    # The standby was in step, so nobody knows more than it.
    if devices.promises.begun_anew:
        raise Failed(f"{devices.promises.begun_anew} times a device had to read everything again")
    for name in ("server-1", "server-2"):
        if not machine.is_running(name):
            raise Failed(f"{name} has ended")
    return {
        "what": f"the primary lost under {DEVICES} devices and two servers; all of {kept} acknowledged "
                "records kept, and no device had to read everything again",
        "times": times, "lost": 0, "gap": summary(gaps)}
