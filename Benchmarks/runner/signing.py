"""W13: the tokens of an identity provider beside the server's own, and metrics that somebody reads beside none."""

from __future__ import annotations

import base64
import contextlib
import http.server
import json
import subprocess
import threading
import time
import urllib.request
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .kit import BenchError, Kit
from .measure import Cell, workload

#: The workloads that both are measured in.
WORKLOADS = ("W1", "W3", "W4")

#: How often the metrics are read: oftener than any Prometheus does.
READ_EVERY_S = 1.0

AUDIENCE = "example.bench"


def encoded(content: bytes) -> str:
    """base64url without padding (RFC 7515, section 2)."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Issuer:
    """An identity provider that publishes one RSA key, and signs with it by the `openssl` command."""

    def __init__(self, folder: Path) -> None:
        self.key = folder / "issuer.pem"
        self._openssl("genrsa", "-out", str(self.key), "2048")
        modulus = self._openssl("rsa", "-in", str(self.key), "-noout", "-modulus").decode().strip().split("=")[1]
        published = {"kty": "RSA", "kid": "bench", "use": "sig", "n": encoded(bytes.fromhex(modulus)), "e": "AQAB"}
        keys = json.dumps({"keys": [published]}).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # noqa: N802
                self.send_response(200)
                self.send_header("Content-Length", str(len(keys)))
                self.end_headers()
                self.wfile.write(keys)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.name = f"http://127.0.0.1:{self.server.server_port}"
        self.file = folder / "identity.json"
        self.file.write_text(json.dumps({"issuers": [{
            "issuer": self.name, "keys": f"{self.name}/keys", "audiences": [AUDIENCE], "subjectPrefix": "bench:",
            "allowPrivateAddresses": True, "claims": {"spaces": "spaces"}}]}))

    @staticmethod
    def _openssl(*words: str, content: bytes | None = None) -> bytes:
        try:
            return subprocess.run(["openssl", *words], input=content, check=True, capture_output=True).stdout
        except (OSError, subprocess.CalledProcessError) as problem:
            raise BenchError(f"openssl {words[0]}: {problem}") from None

    def token(self, subject: str, space: str) -> str:
        """One that grants the space, as `token create --space` does."""
        claims = {
            "iss": self.name, "aud": AUDIENCE, "sub": subject, "exp": int(time.time()) + 86_400, "spaces": [space],
            # What providers say beside: a token of theirs has a kilobyte.
            "name": "Somebody Who Signed In", "email": "somebody@example.org", "picture": "https://example.org/" + "p" * 300,
        }
        parts = [encoded(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": "bench"}, claims)]
        signed = ".".join(parts)
        return signed + "." + encoded(self._openssl("dgst", "-sha256", "-sign", str(self.key), content=signed.encode()))

    def stop(self) -> None:
        self.server.shutdown()


def signed_in(original: Any, issuer: Issuer) -> Any:
    """The same server and the same spaces, reached with the provider's tokens."""
    class SignedIn(type(original)):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            # What is cached of spaces goes by the name.
            self.port, self.database, self.name = original.port, original.database, original.name

        def pids(self) -> list[int]:
            return original.pids()

        def token(self, name: str) -> str:
            if name not in self.tokens:
                self.tokens[name] = issuer.token(name, self.space(name))
            return self.tokens[name]

    return SignedIn()


def cells(kit: Kit, target: Any, issuer: Issuer, arguments: Namespace) -> list[Cell]:
    """Each workload with own tokens, with a provider's, and while somebody reads the metrics, by turns."""
    provider = signed_in(target, issuer)

    def read(body: Callable[[int], dict[str, Any]]) -> Callable[[int], dict[str, Any]]:
        def run(number: int) -> dict[str, Any]:
            with reading(target.metrics_port):
                return body(number)

        return run

    made = []
    for name in WORKLOADS:
        made += [
            Cell(f"ours/W13/{name}/own", workload(kit, target, name, arguments)),
            Cell(f"ours/W13/{name}/signed", workload(kit, provider, name, arguments)),
        ]
        if name != "W3":
            made.append(Cell(f"ours/W13/{name}/read", read(workload(kit, target, name, arguments))))
    return made


@contextlib.contextmanager
def reading(port: int) -> Iterator[None]:
    """Reads the metrics again and again meanwhile."""
    ended = threading.Event()

    def go_on() -> None:
        while not ended.is_set():
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                answer.read()
            ended.wait(READ_EVERY_S)

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
