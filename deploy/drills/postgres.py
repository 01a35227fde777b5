"""One PostgreSQL, as an operator's."""
from pathlib import Path

from machine import POSTGRES, Failed, Machine, eventually, free_port


class Postgres:
    """A cluster below the machine's folder, with a login that owns and one that serves."""

    def __init__(self, machine: Machine, name: str = "postgres", programs: Path = POSTGRES[0], port: int = 0):
        self.machine, self.name, self.programs = machine, name, programs
        self.port = port or free_port()
        self.data = machine.folder / name

    def create(self, settings: str = "") -> None:
        self.machine.run(
            self.programs / "initdb", "--pgdata", self.data, "--encoding=UTF8", "--locale=C.UTF-8",
            "--data-checksums", "--auth=trust", "--username=postgres")
        self.configure(settings)

    def configure(self, settings: str) -> None:
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(
                f"listen_addresses = '127.0.0.1'\nport = {self.port}\n"
                f"unix_socket_directories = '{self.machine.folder}'\nshared_buffers = 64MB\n{settings}\n")

    def start(self, patience: float = 120) -> None:
        self.machine.start(self.name, self.programs / "postgres", "-D", self.data)

        def serves() -> bool:
            if not self.machine.is_running(self.name):
                raise Failed(f"PostgreSQL ended:\n{self.machine.log(self.name)[-2000:]}")
            return self.sql("SELECT NOT pg_is_in_recovery()", "postgres") == "t"

        eventually("PostgreSQL serves", serves, patience)

    def stop(self) -> None:
        """A fast shutdown."""
        self.machine.run(self.programs / "pg_ctl", "stop", "--pgdata", self.data, "--mode=fast", "--wait")
        self.machine.processes.pop(self.name).wait()

    def stop_if_running(self) -> None:
        if self.machine.is_running(self.name):
            self.stop()

    def sql(self, text: str, database: str = "sync") -> str:
        # By the socket, whatever clients must do on TCP.
        return self.machine.run(
            self.programs / "psql", "--host", self.machine.folder, "--port", self.port, "--username", "postgres",
            "--dbname", database, "-v", "ON_ERROR_STOP=1", "-Atqc", text).strip()

    def make_logins(self) -> None:
        """As docs/running.md, ‘Your own PostgreSQL’, has it."""
        self.sql("CREATE ROLE sync_owner LOGIN CREATEROLE", "postgres")
        self.sql("CREATE DATABASE sync OWNER sync_owner", "postgres")

    def make_serving_login(self) -> None:
        """After the first migration, which makes the role."""
        self.sql("SET ROLE sync_owner; CREATE ROLE sync_server LOGIN IN ROLE syncserver_serving")

    def url(self, user: str, database: str = "sync") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    @property
    def owner(self) -> str:
        return self.url("sync_owner")

    @property
    def serving(self) -> str:
        return self.url("sync_server")
