"""What somebody can do to a server with a number of connections, with a write token for one space or with none."""
import gzip
import json
import os
import random
import socket
import threading
import time
import uuid

APP = "/v1/apps/fitiq/spaces"
MAXIMUM = 8 << 20


def run(attacker, port, token, space, connections, seconds):
    """Works with so many connections at a time until the time is up; gives how many attempts became of what."""
    kinds = STRANGER if attacker == "stranger" else WRITER
    end = time.monotonic() + seconds
    seed = random.randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    lock, tally = threading.Lock(), {}

    def work(place):
        chance = random.Random(seed + place)
        while time.monotonic() < end:
            # Most of the time each connection stays with one kind, so that its state builds up.
            kind = kinds[place % len(kinds)] if chance.random() < 0.7 else chance.choice(kinds)
            try:
                outcome = kind(Attempt(port, token, space, chance, end))
            except (OSError, ValueError, IndexError) as error:
                outcome = type(error).__name__
            with lock:
                key = f"{kind.__name__}: {outcome}"
                tally[key] = tally.get(key, 0) + 1

    threads = [threading.Thread(target=work, args=(place,), daemon=True) for place in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(1, end + 30 - time.monotonic()))
    with lock:
        return dict(tally)


class Attempt:
    """One connection, and what a request needs."""

    def __init__(self, port, token, space, chance, end):
        self.port, self.token, self.space, self.chance, self.end = port, token, space, chance, end

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=35)
        return connection

    def head(self, method, target, token=None, **headers):
        lines = [f"{method} {target} HTTP/1.1", "Host: siege", f"Schema-Version: {headers.pop('version', '0.1.1')}"]
        token = token or self.token
        if token:
            lines.append(f"Authorization: Bearer {token}")
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def changes(self, action="changes"):
        return f"{APP}/{self.space or uuid.uuid4()}/{action}"

    def post(self, body, token=None, action="changes", **headers):
        """Sends a whole request and gives its status."""
        with self.connect() as connection:
            connection.sendall(self.head(
                "POST", self.changes(action), token, Content_Type="application/json", Content_Length=len(body),
                **headers) + body)
            return status(connection)

    def push(self, changes, **headers):
        body = json.dumps({"changes": changes}).encode()
        if len(body) > 1 << 16:
            headers["Content_Encoding"] = "gzip"
            body = gzip.compress(body, 1)
        return self.post(body, Device_Id=headers.pop("device", str(uuid.uuid4())), **headers)

    def wait(self, seconds):
        time.sleep(max(0, min(seconds, self.end - time.monotonic())))


def status(connection, drain=True):
    answer = connection.recv(1 << 16)
    code = answer[9:12].decode(errors="replace") or "closed"
    if drain and b"Content-Length: " in answer[:2000]:
        head, _, body = answer.partition(b"\r\n\r\n")
        length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
        missing = length - len(body)
        while missing > 0:
            part = connection.recv(1 << 18)
            if not part:
                break
            missing -= len(part)
    return code


def create(entity="SDMeal", record=None, stamp=None, **fields):
    return {"entity": entity, "id": record or str(uuid.uuid4()), "op": "create",
            "stamp": stamp or int(time.time() * 1000) << 11, "fields": fields}


# Without a token.

def slow_headers(attempt):
    with attempt.connect() as connection:
        for byte in b"POST /v1/apps/fitiq/spaces/x/changes HTTP/1.1\r\nHost: s\r\nX-Slow: " + b"a" * 64:
            connection.sendall(bytes([byte]))
            attempt.wait(1)
            if time.monotonic() >= attempt.end:
                return "held"
    return "done"


def held_body(attempt):
    """As much as a body may be, less a byte, and then nothing."""
    with attempt.connect() as connection:
        connection.sendall(attempt.head("POST", attempt.changes(), token(attempt), Content_Length=MAXIMUM))
        connection.sendall(b" " * (MAXIMUM - 1))
        attempt.wait(20)
        return "held"


def token(attempt):
    return attempt.token or "sync_" + "".join(attempt.chance.choices("abcdefghijklmnop", k=43))


def bomb(attempt):
    return attempt.post(BOMB, token(attempt), Content_Encoding="gzip")


BOMB = gzip.compress(b'{"changes":[' + b" " * (31 << 20) + b"]}", 9)


def unknown_tokens(attempt):
    with attempt.connect() as connection:
        code = "none"
        for _ in range(50):
            fresh = "sync_" + "".join(attempt.chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=43))
            connection.sendall(attempt.head("GET", attempt.changes(), fresh))
            code = status(connection)
        return code


def public_paths(attempt):
    with attempt.connect() as connection:
        code = "none"
        for _ in range(50):
            target = attempt.chance.choice(
                ["/healthz", "/readyz", "/v1/apps", "/v1/apps/fitiq", "/v1/apps/fitiq/versions/0.1.1/schema.json"])
            connection.sendall(f"GET {target} HTTP/1.1\r\nHost: s\r\nAccept-Encoding: zstd\r\n\r\n".encode())
            code = status(connection)
        return code


def garbage(attempt):
    with attempt.connect() as connection:
        connection.sendall(attempt.chance.randbytes(4096))
        return status(connection, drain=False)


def large_headers(attempt):
    with attempt.connect() as connection:
        connection.sendall(attempt.head("GET", attempt.changes(), token(attempt), X_Large="a" * 15_000))
        return status(connection)


def many_query_items(attempt):
    with attempt.connect() as connection:
        target = attempt.changes() + "?" + "&".join(f"a{place}=b" for place in range(500))
        connection.sendall(attempt.head("GET", target, token(attempt)))
        return status(connection)


def churn(attempt):
    for _ in range(50):
        attempt.connect().close()
    return "closed"


# With a write token.

def many_small_pushes(attempt):
    code = "none"
    for _ in range(20):
        code = attempt.push([create(notes="n")])
    return code


def largest_push(attempt):
    return attempt.push([create(notes="n" * 300) for _ in range(5000)])


def large_records(attempt):
    return attempt.push([create(notes="x" * 1_000_000) for _ in range(20)])


def edits_of_large_records(attempt):
    with attempt.connect() as connection:
        connection.sendall(attempt.head("GET", attempt.changes() + "?limit=5000", Accept_Encoding="identity"))
        connection.settimeout(35)
        page = b""
        while not page.endswith(b"}"):
            part = connection.recv(1 << 20)
            if not part:
                break
            page += part
    # There are none where it was refused.
    changes = json.loads(page.partition(b"\r\n\r\n")[2]).get("changes", [])
    known = [change["id"] for change in changes]
    stamp = int(time.time() * 1000) << 11
    return attempt.push([
        {"entity": "SDMeal", "id": record, "op": "update", "stamp": stamp, "fields": {"rawInput": "r"}}
        for record in known])


def largest_pages(attempt):
    with attempt.connect() as connection:
        code = "none"
        for _ in range(10):
            connection.sendall(attempt.head("GET", attempt.changes() + "?limit=5000&stamps=true"))
            code = status(connection)
        return code


def unread_pages(attempt):
    """Asks for much and reads nothing."""
    with attempt.connect() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for _ in range(20):
            connection.sendall(attempt.head("GET", attempt.changes() + "?limit=5000"))
        attempt.wait(10)
        return "held"


def hostile_names(attempt):
    filler = attempt.chance.choice([";", ".", "\u0301", "[", " "]) * (6 << 20)
    change = create() | {attempt.chance.choice(["version", "entity", "op"]): filler}
    return attempt.push([change])


def deep_and_wide(attempt):
    text = attempt.chance.choice(["[" * 60 + "]" * 60, "1", '{"a":1}', '""'])
    body = ('{"changes":[' + ",".join([text] * ((8 << 20) // (len(text) + 1))) + "]}").encode()
    return attempt.post(gzip.compress(body, 1), Content_Encoding="gzip")


def streams(attempt):
    with attempt.connect() as connection:
        connection.sendall(attempt.head("GET", attempt.changes("events")))
        code = status(connection, drain=False)
        attempt.wait(5)
        return code


def strangers_devices(attempt):
    with attempt.connect() as connection:
        code = "none"
        for _ in range(50):
            connection.sendall(attempt.head("GET", attempt.changes(), Device_Id=str(uuid.uuid4())))
            code = status(connection)
        return code


def future_stamps(attempt):
    ahead = int((time.time() + 86_400) * 1000) << 11
    return attempt.push([
        create(notes="later", stamp=ahead + attempt.chance.randrange(1 << 30)) for _ in range(500)])


def syncs(attempt):
    body = json.dumps({"changes": [create(notes="s")], "limit": 5000}).encode()
    return attempt.post(body, action="sync")


STRANGER = [slow_headers, held_body, bomb, unknown_tokens, public_paths, garbage, large_headers, many_query_items, churn]
WRITER = [many_small_pushes, largest_push, large_records, edits_of_large_records, largest_pages, unread_pages,
          hostile_names, deep_and_wide, streams, strangers_devices, future_stamps, syncs, bomb, held_body]

if __name__ == "__main__":
    raise SystemExit(f"Run {os.path.join(os.path.dirname(__file__), 'siege.py')}.")
