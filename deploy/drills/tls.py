"""TLS to PostgreSQL: the right certificate is taken, and every wrong one refused with words that say what is wrong."""
from pathlib import Path

from machine import Failed, Machine, program, say
from postgres import Postgres
from servers import Servers

HOST = "db.example"


def run(machine: Machine, executable: Path, seed: int) -> dict:
    right, other = Authority(machine, "right"), Authority(machine, "other")
    postgres = Postgres(machine)
    postgres.create("ssl = on\nssl_cert_file = 'server.crt'\nssl_key_file = 'server.key'\n")
    hba = postgres.data / "pg_hba.conf"
    hba.write_text("local all all trust\nhostssl all all 127.0.0.1/32 trust\n")
    right.certify(HOST, postgres.data)
    postgres.start()
    postgres.make_logins()
    servers = Servers(machine, executable, url(postgres, "sync_owner", right))
    servers.command("migrate", "up")
    postgres.make_serving_login()
    servers.database = url(postgres, "sync_server", right)
    servers.start("server")
    used = postgres.sql("SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                        "WHERE usename = 'sync_server'")
    if used != "t":
        raise Failed("the sessions of the server are not encrypted")
    machine.stop("server")
    say("the certificate of the right authority, for the right name, is taken")

    count = 0
    for what, database, words in [
        ("another authority", url(postgres, "sync_server", other), "certificate verify failed"),
        ("another name", url(postgres, "sync_server", right, host="other.example"), "does not match host name"),
        ("no authority's file", url(postgres, "sync_server", Missing(machine)), "does not exist"),
    ]:
        refuse(servers, what, database, words)
        count += 1
    right.certify(HOST, postgres.data, days=-1)
    postgres.sql("SELECT pg_reload_conf()")
    refuse(servers, "a certificate that has ended", url(postgres, "sync_server", right), "certificate verify failed")
    hba.write_text("local all all trust\nhost all all 127.0.0.1/32 trust\n")
    (postgres.data / "postgresql.auto.conf").write_text("ssl = off\n")
    postgres.sql("SELECT pg_reload_conf()")
    refuse(servers, "a PostgreSQL without TLS", url(postgres, "sync_server", right), "does not support SSL")
    return {"what": f"verify-full to PostgreSQL: the right certificate taken, {count + 2} wrong ones refused, each in "
                    "words that say what is wrong, and without the password", "times": count + 3}


class Authority:
    """Signs certificates, for a drill."""

    def __init__(self, machine: Machine, name: str):
        self.machine = machine
        self.certificate, self.key = machine.folder / f"{name}.crt", machine.folder / f"{name}.key"
        machine.run(
            program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", f"/CN=the {name} authority", "-out", self.certificate, "-keyout", self.key)

    def certify(self, host: str, folder: Path, days: int = 2) -> None:
        request = self.machine.folder / "request"
        self.machine.run(
            program("openssl"), "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
            f"/CN={host}", "-keyout", folder / "server.key", "-out", request)
        names = self.machine.write("names", f"subjectAltName=DNS:{host}\n")
        self.machine.run(
            program("openssl"), "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key,
            "-CAcreateserial", "-days", days, "-extfile", names, "-out", folder / "server.crt")
        self.machine.run("chmod", "600", folder / "server.key")


class Missing:
    def __init__(self, machine: Machine):
        self.certificate = machine.folder / "nowhere.crt"


def url(postgres: Postgres, user: str, authority, host: str = HOST) -> str:
    # The name is that of the certificate; nothing is looked up for it.
    return (f"postgresql://{user}:hush@{host}:{postgres.port}/sync?hostaddr=127.0.0.1&sslmode=verify-full"
            f"&sslrootcert={authority.certificate}")


def refuse(servers: Servers, what: str, database: str, words: str) -> None:
    said = servers.command("serve", "--port", "0", database=database, check=False)
    if words not in said or "Listening" in said:
        raise Failed(f"{what}: the server does not say ‘{words}’ but:\n{said[-800:]}")
    if "hush" in said:
        raise Failed(f"{what}: the server says the password:\n{said[-800:]}")
    say(f"{what}: {next(line for line in said.splitlines() if words in line).strip()[:150]}")
