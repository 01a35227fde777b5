"""A bad line: a proxy on the loopback interface that refuses requests or loses answers when told to."""

import http.client
import json
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Refusal:
    """The server is not asked; this is the answer."""

    status: int
    code: str
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class LostAnswer:
    """The server is asked, and the line breaks before its answer arrives."""


class Proxy:
    """Passes requests on. Each that arrives takes the next fault, if there is one."""

    def __init__(self, url: str):
        self.faults: deque[Refusal | LostAnswer] = deque()
        parts = urlsplit(url)
        proxy = self

        class Connection(BaseHTTPRequestHandler):
            def do_GET(self):
                self._answer(None)

            def do_POST(self):
                self._answer(self.rfile.read(int(self.headers["Content-Length"])))

            def _answer(self, body):
                fault = proxy.faults.popleft() if proxy.faults else None
                if isinstance(fault, Refusal):
                    document = {"status": fault.status, "code": fault.code}
                    headers = {"Content-Type": "application/problem+json", **fault.headers}
                    return self._write(fault.status, headers, json.dumps(document).encode())
                upstream = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                upstream.request(self.command, self.path, body, headers)
                response = upstream.getresponse()
                received = response.read()
                upstream.close()
                if fault is None:
                    hop = {"transfer-encoding", "connection", "content-length"}
                    kept = {name: value for name, value in response.getheaders() if name.lower() not in hop}
                    self._write(response.status, kept, received)

            def _write(self, status, headers, body):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Connection)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
