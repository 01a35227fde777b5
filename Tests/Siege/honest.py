"""A client that does what it should: small pushes and pulls at a steady pace, timed."""
import http.client
import json
import threading
import time
import uuid

# Requests a second over all connections: a fraction of what the server can do, so that waiting is not its own doing, and
# within a token's rate.
PACE = 40
CONNECTIONS = 4
ENTITY = "SDMeal"
VERSION = "0.1.1"


class Honest:
    def __init__(self, port, token, space):
        self.port = port
        self.path = f"/v1/apps/fitiq/spaces/{space}/changes"
        self.headers = {
            "Authorization": f"Bearer {token}", "Schema-Version": VERSION, "Content-Type": "application/json",
        }
        self.acknowledged = {}
        self.lock = threading.Lock()

    def run(self, seconds, each_second=lambda: None):
        """Works for so long; gives count, p50, p99 and worst in milliseconds, and how many requests were refused."""
        times, failed = [], []
        end = time.monotonic() + seconds
        threads = [threading.Thread(target=self._work, args=(end, times, failed)) for _ in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        while time.monotonic() < end:
            each_second()
            time.sleep(1)
        for thread in threads:
            thread.join()
        times.sort()
        return {
            "count": len(times), "failed": len(failed), "why": sorted(set(failed))[:5],
            "p50": times[len(times) // 2] * 1000, "p99": times[len(times) * 99 // 100] * 1000,
            "worst": times[-1] * 1000,
        }

    def _work(self, end, times, failed):
        connection, device, cursor = None, str(uuid.uuid4()), None
        next_time, place = time.monotonic(), 0
        while time.monotonic() < end:
            next_time += CONNECTIONS / PACE
            time.sleep(max(0, next_time - time.monotonic()))
            place += 1
            started = time.monotonic()
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
                if place % 5 == 0:
                    target = self.path + (f"?cursor={cursor}" if cursor else "")
                    connection.request("GET", target, headers=self.headers | {"Device-Id": device})
                    answer = connection.getresponse()
                    body = answer.read()
                    if answer.status == 200:
                        cursor = json.loads(body)["cursor"]
                else:
                    record, note = str(uuid.uuid4()), str(uuid.uuid4())
                    change = {"entity": ENTITY, "id": record, "op": "create", "fields": {"notes": note},
                              "stamp": int(time.time() * 1000) << 11}
                    connection.request("POST", self.path, body=json.dumps({"changes": [change]}),
                                       headers=self.headers | {"Device-Id": device})
                    answer = connection.getresponse()
                    answer.read()
                    if answer.status == 200:
                        with self.lock:
                            self.acknowledged[record] = note
                times.append(time.monotonic() - started)
                if answer.status != 200:
                    failed.append(f"status {answer.status}")
                if answer.getheader("Connection") == "close":
                    connection.close()
                    connection = None
            except OSError as error:
                # An idle connection that gave way is opened again; a request without an answer counts as refused.
                failed.append(type(error).__name__)
                connection = None
            except http.client.HTTPException as error:
                failed.append(type(error).__name__)
                connection = None

    def missing(self):
        """How many acknowledged changes a new device is not told of."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        found, cursor = {}, None
        while True:
            target = f"{self.path}?limit=5000" + (f"&cursor={cursor}" if cursor else "")
            connection.request("GET", target, headers=self.headers)
            answer = connection.getresponse()
            body = answer.read()
            if answer.status == 503:
                time.sleep(1)
                continue
            page = json.loads(body)
            for change in page["changes"]:
                found[change["id"]] = change.get("fields", {}).get("notes")
            cursor = page["cursor"]
            if not page["more"]:
                break
        return sum(1 for record, note in self.acknowledged.items() if found.get(record) != note)
