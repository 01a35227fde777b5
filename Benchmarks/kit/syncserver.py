"""This server as a target of the benchmark kit: its pushes, pulls and polls, in the terms of bench.py."""
import json, os, signal, subprocess, time, urllib.request, uuid

from records import dumps

HERE = os.path.dirname(os.path.abspath(__file__))
BINARY = os.environ.get("BENCH_SERVER") or os.path.join(HERE, "..", ".build", "release", "BenchServer")
PEERS = os.environ["PEERS"]
MIGRATIONS = os.path.join(HERE, "..", "Migrations")
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "syncserver-bench")
# Rates would be what is measured: a load generator is faster than any device.
SERVING = ["--allow-unfrozen", "--no-gc", "--no-rate-limits", "--migrations", MIGRATIONS]


class T(Target):
    name = "syncserver"
    port = int(os.environ.get("BENCH_PORT", "55509"))
    push_guess = 110000
    pull_needle = '"entity":'
    pull_opts = ("--next", '$"cursor":"~"', "--more", 'P:"more":true')
    cap_opts = ("--cap", '$"cursor":"~"')
    # The same update again is the same value under the same stamp: nothing to do.
    loop_updates = False
    w2_plan = 16000
    app = "bench"
    version = "1.0.0"
    database = "syncbench"
    # Besides SERVING.
    serving = []

    def __init__(self):
        super().__init__()
        self.tokens = {}
        self.stamp = int(time.time() * 1000) << 11

    # ---------------------------------------------------------------- the process
    def ctl(self, verb):
        getattr(self, verb)()

    @property
    def url(self):
        port = os.environ.get("PGPORT", "55432")
        return f"host={PEERS} port={port} user=bench_owner dbname={self.database}"

    def psql(self, sql, database="postgres"):
        command = [os.environ.get("PGBIN", "/usr/lib/postgresql/15/bin") + "/psql", "-h", PEERS, "-U", "postgres"]
        command += ["-p", os.environ.get("PGPORT", "55432"), "-XAtqc", sql, database]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def make_database(self):
        if self.psql("SELECT count(*) FROM pg_roles WHERE rolname = 'bench_owner'") == "0":
            self.psql("CREATE ROLE bench_owner LOGIN CREATEROLE")
        if self.psql(f"SELECT count(*) FROM pg_database WHERE datname = '{self.database}'") == "0":
            self.psql(f"CREATE DATABASE {self.database} OWNER bench_owner")

    def start(self):
        self.make_database()
        log = open(f"{PEERS}/logs/{self.name}.log", "w")
        command = [BINARY, "serve", "--database", self.url, "--port", str(self.port), "--migrate", "auto"] + SERVING + self.serving
        process = subprocess.Popen(command, stdout=log, stderr=log)
        open(f"{PEERS}/run/{self.name}.pid", "w").write(str(process.pid))
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz").read()
                return
            except OSError:
                if process.poll() is not None:
                    break
                time.sleep(0.05)
        raise SystemExit(f"the server does not start, see {log.name}")

    def stop(self):
        try:
            os.kill(self.pids()[0], signal.SIGTERM)
            os.waitpid(self.pids()[0], 0)
        except (OSError, IndexError):
            pass

    def prepare(self):
        pass

    # ---------------------------------------------------------------- spaces and requests
    def space(self, name):
        return str(uuid.uuid5(NAMESPACE, name))

    def token(self, name):
        if name not in self.tokens:
            command = [BINARY, "token", "create", "--app", self.app, "--subject", name, "--role", "write"]
            command += ["--space", self.space(name), "--database", self.url, "--json"]
            self.tokens[name] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["token"]
        return self.tokens[name]

    def make_space(self, name):
        self.token(name)

    def head_of(self, method, name, rest, device):
        return (
            f"{method} /v1/apps/{self.app}/spaces/{self.space(name)}/{rest} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Authorization: Bearer {self.token(name)}\r\nSchema-Version: {self.version}\r\n"
            f"Device-Id: {uuid.uuid5(NAMESPACE, str(name) + device)}\r\n"
        )

    def change(self, record, op):
        self.stamp += 1
        fields = {
            "type": record["type"], "quantity": repr(record["quantity"]), "value": record["value"], "at": record["at"],
            "note": record["note"], "updatedAt": record["updated_at"],
        }
        return {"entity": "ProgressEntry", "id": record["id"], "op": op, "stamp": self.stamp, "fields": fields}

    def pushing(self, name, records, op, device="writer"):
        body = dumps({"changes": [self.change(r, op) for r in records]})
        return self.head_of("POST", name, "changes", device) + "Content-Type: application/json\r\n", body

    def push(self, name, records):
        return self.pushing(name, records, "create")

    def update(self, name, records):
        return self.pushing(name, records, "update")

    def pull(self, name, since):
        first = self.head_of("GET", name, f"changes?limit={self.page}", "reader")
        return (first,), (self.head_of("GET", name, f"changes?limit={self.page}&cursor=@@NEXT@@", "reader"),)

    page = 1000

    def get(self, name, query):
        head = self.head_of("GET", name, f"changes?{query}", "reader").split("\r\n")
        headers = dict(line.split(": ", 1) for line in head[1:] if line)
        url = f"http://127.0.0.1:{self.port}{head[0].split()[1]}"
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as response:
            return json.loads(response.read())

    def head(self, name):
        cursor = ""
        while True:
            page = self.get(name, f"limit=5000&cursor={cursor}")
            cursor = page["cursor"]
            if not page["more"]:
                return cursor

    def pull_since(self, name, cursor):
        return (self.head_of("GET", name, f"changes?limit=1000&cursor={cursor}", "reader"),)
