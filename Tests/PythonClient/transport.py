"""HTTP as docs/protocol.md, ‘Requests’ and ‘Problems’, has it: headers, gzip, problems, trying again."""

import gzip
import http.client
import json
import time
from typing import Any, Callable
from urllib.parse import urlsplit

GZIP_MIN_BYTES = 1024


class Problem(Exception):
    """The server refused the request."""

    def __init__(self, status: int, document: dict, retry_after: float | None):
        super().__init__(f"{status} {document.get('code')}: {document.get('detail') or document.get('title')}")
        self.status = status
        self.code = document.get("code")
        self.document = document
        self.retry_after = retry_after


class Unreachable(Exception):
    """No answer came: the request may have been worked on or not."""


class Transport:
    """Sends a request, and again where the protocol says to."""

    ATTEMPTS_MAX = 5
    BUSY = {408, 429, 500, 503}

    def __init__(self, url: str, token: str | None, sleep: Callable[[float], None] = time.sleep):
        parts = urlsplit(url)
        self._host, self._port = parts.hostname, parts.port
        self._token = token
        self._sleep = sleep

    def send(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        """The answer's JSON. Waits as `Retry-After` says while the server is busy."""
        for attempt in range(self.ATTEMPTS_MAX):
            try:
                return self._once(method, path, body, headers or {})
            except Problem as problem:
                if problem.status not in self.BUSY or attempt == self.ATTEMPTS_MAX - 1:
                    raise
                self._sleep(problem.retry_after if problem.retry_after is not None else 2**attempt / 10)
        raise AssertionError("the loop returns or raises")

    def _once(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        headers = {"Accept-Encoding": "gzip", **headers}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        content = None
        if body is not None:
            content = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
            if len(content) > GZIP_MIN_BYTES:
                content = gzip.compress(content)
                headers["Content-Encoding"] = "gzip"
        connection = http.client.HTTPConnection(self._host, self._port, timeout=60)
        try:
            connection.request(method, path, content, headers)
            response = connection.getresponse()
            received = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(str(error)) from error
        finally:
            connection.close()
        if response.headers.get("Content-Encoding") == "gzip":
            received = gzip.decompress(received)
        if response.status == 200:
            return json.loads(received)
        is_problem = response.headers.get_content_type() == "application/problem+json"
        retry_after = response.headers.get("Retry-After")
        raise Problem(
            response.status, json.loads(received) if is_problem else {}, float(retry_after) if retry_after else None)
