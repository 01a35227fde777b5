"""The published configurations of nginx, HAProxy and Caddy before the real server, with TLS, as clients meet them."""
import json
import os
import resource
import signal
import socket
import ssl
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path

import away
import published
from devices import APP, ENTITY, VERSIONS
from machine import Failed, Machine, eventually, free_port, listened_ports, program, say
from postgres import Postgres
from servers import Servers

# How long a stream of events stays open: heartbeats come each 25 s, and what closes idle connections does so after 60.
STREAM_SECONDS = 140
RELOADS = 5
# How long a client waits for a server that hangs: until after a proxy that looks has found out.
HANGING_SECONDS = 8
# Open at once: more than the connections that a server holds beside its streams (4,096), of subjects with less than a
# thousand each, which is what one may have.
MANY_STREAMS, SUBJECTS = 4_200, 5
PAIR = ["server-1", "server-2"]


def run(machine: Machine, executable: Path, seed: int) -> dict:
    # For the streams, of which this process has one end.
    resource.setrlimit(resource.RLIMIT_NOFILE, (published.descriptors(),) * 2)
    postgres = Postgres(machine)
    postgres.create()
    postgres.start()
    postgres.make_logins()
    servers = Servers(machine, executable, postgres.owner)
    servers.command("migrate", "up")
    postgres.make_serving_login()
    shares = [servers.share(f"drill-{place}") for place in range(SUBJECTS)]
    token, space = shares[0]
    servers.database = postgres.serving
    # Strangers of one address may ask five times, so that it shows whom the server takes for one.
    limits = machine.write("limits.json", json.dumps({"rates": {"address": {"perSecond": 1, "burst": 5}}}))
    certificate = Certificate(machine)
    proxies = []
    for kind in (Nginx, HAProxy, Caddy):
        # Each has a server of its own: what one's strangers have used up is no other's.
        name = kind.__name__.lower()
        servers.start(f"server-{name}", "--trusted-proxies", "127.0.0.1/32", "--limits", limits, rates=True)
        proxy = kind(machine, certificate, [servers.ports[f"server-{name}"]])
        proxy.serve()
        proxies.append(proxy)
    # The streams are open while everything else happens.
    streams = [Stream(proxy, token, space) for proxy in proxies]
    for proxy in proxies:
        proxy.check_ports()
        proxy.check_version()
        proxy.check_bodies(token, space)
        proxy.check_strangers()
        proxy.check_reloads(token, space)
        proxy.check_retries()
        say(f"{proxy.name}: one port, HTTP/2, large bodies, whose address it is, no repeated requests, "
            f"{RELOADS} reloads")
    for name in PAIR:
        servers.start(name)
    for proxy in proxies:
        proxy.check_many_streams(servers.ports[PAIR[0]], shares)
        say(f"{proxy.name}: a push and its event beside {MANY_STREAMS:,} streams")
    pairs = [proxy.beside("two", [servers.ports[name] for name in PAIR]) for proxy in proxies]
    for pair in pairs:
        pair.serve()
    found = away.run(servers, PAIR, {
        proxy.name: partial(pair.push_one, token, space) for proxy, pair in zip(proxies, pairs)})
    for stream in streams:
        stream.check(token, space)
    say(f"streams of events came through as they were sent, for {STREAM_SECONDS} s")
    return {"what": "nginx, HAProxy and Caddy as published: TLS, HTTP/2, one port, bodies of 8 MiB, events at once and "
                    f"for {STREAM_SECONDS} s, {MANY_STREAMS:,} streams, clients' addresses, no request repeated, "
                    f"{3 * RELOADS} reloads under load; two servers, of which one stopped, was killed and hung",
            "times": 3, "lost": 0, "gap": f"worst {max(one['gap'] for one in found)} s", "faults": found}


class Certificate:
    """A certificate of the drill's own, for sync.example."""

    def __init__(self, machine: Machine):
        self.certificate, self.key = machine.folder / "certificate.pem", machine.folder / "key.pem"
        machine.run(
            program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=sync.example", "-addext", "subjectAltName=DNS:sync.example", "-out",
            self.certificate, "-keyout", self.key)
        self.both = machine.write("both.pem", self.certificate.read_text() + self.key.read_text())
        self.context = ssl.create_default_context(cafile=str(self.certificate))


class Proxy:
    """One of them, with its published file, where only addresses and certificates are others."""

    def __init__(self, machine: Machine, certificate: Certificate, upstreams: list[int]):
        self.name = type(self).__name__.lower()
        self.machine, self.certificate, self.upstreams = machine, certificate, upstreams
        self.port = free_port()
        # What it listens on for its operator.
        self.admin: int | None = None

    def beside(self, word: str, upstreams: list[int]) -> "Proxy":
        """Another one of its kind, before other servers."""
        proxy = type(self)(self.machine, self.certificate, upstreams)
        proxy.name += f"-{word}"
        return proxy

    def serve(self) -> None:
        self.start()
        eventually(f"{self.name} serves", self.is_serving)

    def connect(self, source: str = "127.0.0.1", patience: float = 60) -> HTTPSConnection:
        connection = HTTPSConnection("sync.example", self.port, timeout=patience, context=self.certificate.context)
        plain = socket.create_connection(("127.0.0.1", self.port), patience, (source, 0))
        connection.sock = self.certificate.context.wrap_socket(plain, server_hostname="sync.example")
        return connection

    def request(self, method: str, path: str, body: bytes | None = None, source: str = "127.0.0.1",
                patience: float = 60, **headers) -> tuple:
        connection = self.connect(source, patience)
        try:
            connection.request(
                method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def is_serving(self) -> bool:
        if not self.machine.is_running(self.name):
            raise Failed(f"{self.name} ended:\n{self.machine.log(self.name)[-2000:]}")
        return self.request("GET", "/healthz")[0] == 200

    def push(self, token: str, space: str, changes: list[dict], patience: float = 60) -> int:
        return self.request(
            "POST", f"/v1/apps/{APP}/spaces/{space}/changes", json.dumps({"changes": changes}).encode(),
            patience=patience, Authorization=f"Bearer {token}", Schema_Version=VERSIONS[-1],
            Content_Type="application/json")[0]

    def push_one(self, token: str, space: str) -> int:
        return self.push(token, space, [creation("one")], patience=away.PATIENCE_SECONDS)

    def open_stream(self, token: str, space: str) -> tuple[HTTPSConnection, HTTPResponse]:
        connection = self.connect()
        connection.request("GET", f"/v1/apps/{APP}/spaces/{space}/events", headers={
            "Authorization": f"Bearer {token}", "Schema-Version": VERSIONS[-1], "Accept": "text/event-stream"})
        return connection, connection.getresponse()

    def check_ports(self) -> None:
        """It listens on its port alone: to another the token would come in the clear, before any redirect."""
        heard = listened_ports(self.machine.processes[self.name].pid) - {self.port, self.admin}
        if heard:
            raise Failed(f"{self.name} listens on {sorted(heard)}, and not on its port alone")

    def check_version(self) -> None:
        said = self.machine.run(
            program("curl"), "--silent", "--show-error", "--cacert", self.certificate.certificate, "--resolve",
            f"sync.example:{self.port}:127.0.0.1", "--write-out", "%{http_version}", "--output", "/dev/null",
            f"https://sync.example:{self.port}/v1/apps")
        if said != "2":
            raise Failed(f"{self.name} speaks HTTP/{said} with clients, not HTTP/2")

    def check_bodies(self, token: str, space: str) -> None:
        # A text is a megabyte at most, so several of them.
        large = [creation("x" * 1_000_000) for _ in range(8)]
        if (status := self.push(token, space, large)) != 200:
            raise Failed(f"{self.name} answered {status} to a body of 8 MB")
        try:
            status = self.push(token, space, large + [creation("x" * 500_000)])
        except (OSError, HTTPException):
            status = 413  # The connection may end before all of it is sent.
        if status != 413:
            raise Failed(f"{self.name} answered {status} to a body of more than 8 MiB")

    def check_strangers(self) -> None:
        """Who is too fast cannot say that it comes from elsewhere, and keeps nobody else out."""
        path = f"/v1/apps/{APP}/spaces/{uuid.uuid4()}/changes"
        statuses = [
            # From an address that is no proxy's.
            self.request("GET", path, source="127.0.0.66", Authorization=f"Bearer sync_{uuid.uuid4().hex}{'a' * 11}",
                         X_Forwarded_For=f"203.0.113.{place}", Forwarded=f"for=203.0.113.{place}")[0]
            for place in range(12)]
        if statuses[0] != 401 or 429 not in statuses:
            raise Failed(f"{self.name} lets a client say where it comes from: {statuses}")
        other = self.request(
            "GET", path, source="127.0.0.77", Authorization=f"Bearer sync_{uuid.uuid4().hex}{'b' * 11}")[0]
        if other != 401:
            raise Failed(f"{self.name} does not tell the server who asks: another address got {other}")

    def check_reloads(self, token: str, space: str) -> None:
        failures, count, ends = [], [0], threading.Event()

        def load() -> None:
            while not ends.is_set():
                try:
                    status = self.push(token, space, [creation("short")])
                    count[0] += 1
                    if status != 200:
                        failures.append(str(status))
                except (OSError, HTTPException) as error:
                    failures.append(f"{type(error).__name__}: {error}")

        threads = [threading.Thread(target=load, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(RELOADS):
            before = count[0]
            self.reload()
            eventually("requests are served", lambda: count[0] >= before + 20)
        ends.set()
        for thread in threads:
            thread.join(60)
        if failures:
            raise Failed(f"{self.name}: {len(failures)} of {count[0]} requests failed during reloads: {failures[:3]}")

    def check_retries(self) -> None:
        """A push whose answer is lost is the client's to send again: a proxy must not."""
        for hangs in (False, True):
            servers = [Silent(hangs), Silent(hangs)]
            proxy = self.beside("silent", [server.port for server in servers])
            proxy.start()
            eventually(f"{proxy.name} listens", lambda: proxy.connect().close() is None)
            time.sleep(1)  # until a proxy that asks has found them well
            try:
                status = proxy.request(
                    "POST", "/v1/x", b"{}", patience=HANGING_SECONDS, Content_Type="application/json")[0]
            except (OSError, HTTPException):
                status = 0
            seen = sum(server.count for server in servers)
            self.machine.kill(proxy.name)
            if seen != 1 or status == 200:
                raise Failed(f"{self.name} has sent one push {seen} times, and answered {status}"
                             + (", where a server hung" if hangs else ""))

    def check_many_streams(self, upstream: int, shares: list[tuple[str, str]]) -> None:
        """A server takes pushes beside more streams than other connections, and so must what is before it."""
        proxy = self.beside("many", [upstream])
        proxy.serve()
        with ThreadPoolExecutor(16) as pool:
            streams = list(pool.map(
                lambda place: proxy.open_stream(*shares[place % len(shares)]), range(MANY_STREAMS)))
        try:
            refused = [answer.status for _, answer in streams if answer.status != 200]
            if refused:
                raise Failed(f"{self.name} answered {refused[0]} to {len(refused)} of {MANY_STREAMS} streams")
            token, space = shares[0]
            if (status := proxy.push(token, space, [creation("beside many")], patience=20)) != 200:
                raise Failed(f"{self.name} answered {status} to a push beside {MANY_STREAMS} streams")
            heads = 0
            # One comes when it opens, and one for the push.
            while heads < 2:
                if not (line := streams[0][1].readline()):
                    raise Failed(f"{self.name} ended a stream among {MANY_STREAMS}")
                heads += line.startswith(b"event: head")
        finally:
            for connection, _ in streams:
                connection.close()
            self.machine.kill(proxy.name)


class Nginx(Proxy):
    def start(self) -> None:
        folder = self.machine.folder / self.name
        folder.mkdir(exist_ok=True)
        site = published.nginx(
            self.upstreams, ("    listen [::]:443 ssl http2;\n", ""), ("listen 443", f"listen 127.0.0.1:{self.port}"),
            ("/etc/syncserver/tls/fullchain.pem", str(self.certificate.certificate)),
            ("/etc/syncserver/tls/privkey.pem", str(self.certificate.key)))
        temporary = "\n".join(
            f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        file = folder / "nginx.conf"
        # Two processes, as Debian's has one for each core: what they know of servers must be known to both.
        file.write_text(f"daemon off;\nuser root;\nworker_processes 2;\npid {folder}/pid;\nerror_log stderr;\n"
                        f"worker_rlimit_nofile {min(65_536, published.descriptors())};\n"
                        f"events {{ worker_connections {min(40_000, published.descriptors() - 100)}; }}\n"
                        f"http {{\naccess_log off;\n{temporary}\n{site}\n}}\n")
        self.machine.start(self.name, program("nginx"), "-p", folder, "-c", file, as_root=True)

    def reload(self) -> None:
        os.kill(self.machine.processes[self.name].pid, signal.SIGHUP)


class HAProxy(Proxy):
    def start(self) -> None:
        file = self.machine.write(f"{self.name}.cfg", published.haproxy(
            f"bind 127.0.0.1:{self.port} ssl crt {self.certificate.both} alpn h2,http/1.1", self.upstreams))
        self.machine.start(self.name, program("haproxy"), "-W", "-db", "-f", file, as_root=True)

    def reload(self) -> None:
        os.kill(self.machine.processes[self.name].pid, signal.SIGUSR2)


class Caddy(Proxy):
    def start(self) -> None:
        self.admin = free_port()
        # Its own ports need not be free here. It listens on the first where it redirects.
        self.file = self.machine.write(f"{self.name}.caddy", published.caddy(
            self.upstreams,
            ("\n{\n", f"\n{{\n\tadmin 127.0.0.1:{self.admin}\n\thttp_port {free_port()}\n\thttps_port {self.port}\n"),
            ("sync.example {", f"sync.example {{\n\tbind 127.0.0.1\n"
             f"\ttls {self.certificate.certificate} {self.certificate.key}")))
        self.machine.start(
            self.name, program("caddy"), "run", "--adapter", "caddyfile", "--config", self.file, as_root=True)

    def reload(self) -> None:
        # Without a change it would do nothing.
        self.machine.run(
            program("caddy"), "reload", "--force", "--address", f"127.0.0.1:{self.admin}", "--adapter", "caddyfile",
            "--config", self.file)


class Silent:
    """A server that is well when asked, and never answers a push: it counts it, and closes, or hangs from then on."""

    def __init__(self, hangs: bool):
        self.count = 0
        self._hangs = hangs
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            self._connection, _ = self._socket.accept()
            head = self._connection.recv(1 << 16)
            if head.startswith(b"POST"):
                self.count += 1
                if self._hangs:
                    return
            elif head:
                self._connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            self._connection.close()


class Stream:
    """A stream of events, and when each of its lines came."""

    def __init__(self, proxy: Proxy, token: str, space: str):
        self.proxy = proxy
        self.lines: list[tuple[float, str]] = []
        self.ended: float | None = None
        self.started = time.monotonic()
        self._connection, self._answer = proxy.open_stream(token, space)
        if self._answer.status != 200:
            raise Failed(f"{proxy.name}: a stream was answered {self._answer.status}")
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while line := self._answer.readline():
                self.lines.append((time.monotonic(), line.decode().strip()))
        except (OSError, HTTPException, ValueError):
            pass
        self.ended = time.monotonic()

    def check(self, token: str, space: str) -> None:
        if (left := self.started + STREAM_SECONDS - time.monotonic()) > 0:
            time.sleep(left)
        if self.ended is not None:
            raise Failed(f"{self.proxy.name} ended a stream after {self.ended - self.started:.0f} s")
        before, pushed = len(self.lines), time.monotonic()
        self.proxy.push(token, space, [creation("told at once")])
        eventually(f"{self.proxy.name} passes an event on", lambda: any(
            line.startswith("id:") for _, line in self.lines[before:]), 20, 0.01)
        took = next(moment for moment, line in self.lines[before:] if line.startswith("id:")) - pushed
        if took > 3:
            raise Failed(f"{self.proxy.name} held an event back for {took:.1f} s")


def creation(text: str) -> dict:
    return {"entity": ENTITY, "id": str(uuid.uuid4()), "op": "create", "stamp": int(time.time() * 1000) << 11,
            "fields": {"notes": text}}
