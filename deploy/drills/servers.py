"""Servers before a database, and a balancer before the servers."""
import http.client
import re
import uuid
from pathlib import Path

import published
from devices import APP
from machine import Failed, Machine, eventually, free_port, program


class Servers:
    """Some servers of one database, side by side, behind one port."""

    def __init__(self, machine: Machine, executable: Path, database: str, migrations: Path | None = None):
        self.machine, self.executable, self.database = machine, executable, database
        # Those that lie beside it, unless others are meant.
        self.variables = {"SYNC_MIGRATIONS": migrations} if migrations else {}
        # The fleet is one subject, and busier than one. A release before the rates does not know the option.
        self.unlimited = ["--no-rate-limits"]
        self.ports: dict[str, int] = {}
        self.port = 0

    def command(self, *words, database: str | None = None, check: bool = True) -> str:
        """Runs a command of the program against the database."""
        return self.machine.run(
            self.executable, *words, check=check, DATABASE_URL=database or self.database,
            **self.variables)

    def start(self, name: str, *options, rates: bool = False) -> None:
        port = self.ports.setdefault(name, free_port())
        self.machine.start(
            name, self.executable, "serve", "--port", port, *([] if rates else self.unlimited), *options,
            DATABASE_URL=self.database, **self.variables)

        def serves() -> bool:
            if not self.machine.is_running(name):
                raise Failed(f"{name} ended:\n{self.machine.log(name)[-2000:]}")
            return get(port, "/readyz") == 200

        eventually(f"{name} serves", serves)

    def balance(self) -> int:
        """One port before all of them, by the published HAProxy, without TLS: a fleet speaks none. Gives the port."""
        self.port = free_port()
        settings = self.machine.write(
            "balancer.cfg", published.haproxy(f"bind 127.0.0.1:{self.port}", list(self.ports.values())))
        self.machine.start("balancer", program("haproxy"), "-db", "-f", settings)
        eventually("the balancer serves", lambda: get(self.port, "/healthz") == 200)
        return self.port

    def share(self, subject: str = "drill") -> tuple[str, str]:
        """A token and the space that it is for."""
        space = str(uuid.uuid4())
        said = self.command("token", "create", "--app", APP, "--subject", subject, "--role", "write", "--space", space)
        return re.search(r"sync_[A-Za-z0-9_-]{43}", said)[0], space

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def get(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()
