"""The image, from its Containerfile by buildah, on a tree of debootstrap; it serves read-only, as nobody."""
import json
import os
import shutil
import subprocess
from pathlib import Path

from devices import ROOT
from machine import Failed, Machine, free_port, program, say
from package import NAME, Serving, Tree, build, enter, migrate
from postgres import Postgres

BASE = "localhost/debian:bookworm-slim"


def run(machine: Machine, executable: Path, seed: int) -> dict:
    if os.geteuid() != 0:
        raise Failed("This drill makes a tree of Debian, which only root may: run it from a root shell.")
    package = build(machine, executable.parents[1], "0.1.0")
    buildah = Buildah(machine)
    tree = Tree(machine)
    tree.make()
    # The name by which the Containerfile knows its base; no registry is asked.
    container = buildah.run("from", "scratch")
    buildah.run("add", "--quiet", container, tree.path, "/")
    buildah.run("commit", "--quiet", container, BASE)
    shutil.rmtree(tree.path)
    say("a base image, of debootstrap")
    only = machine.folder / "only"
    only.mkdir()
    shutil.copy(package, only)
    buildah.run(
        "bud", "--format", "docker", "--file", ROOT / "deploy/container/Containerfile", "--build-arg", f"BASE={BASE}",
        "--build-context", f"package={only}", "--network", "host", "--tag", NAME, only)
    image = json.loads(buildah.run("inspect", "--type", "image", NAME))["Docker"]["config"]
    if image["User"] != "65532:65532" or image["Entrypoint"] != [NAME]:
        raise Failed(f"the image runs {image['Entrypoint']} as ‘{image['User']}’")
    root = Path(buildah.run("mount", buildah.run("from", NAME)))
    size = sum(file.lstat().st_size for file in root.rglob("*") if not file.is_symlink()) // 1_000_000
    say(f"the image is built, {size} MB")

    postgres = Postgres(machine)
    postgres.create()
    postgres.start()
    postgres.make_logins()
    def inside(variables: list[str], *words: str) -> list[str]:
        """As a container is run: a read-only root, a user without a name."""
        return enter(root, "65532", ["PATH=/usr/bin:/bin", *variables], *words, read_only=True)

    migrate(inside([f"DATABASE_URL={postgres.owner}"], NAME, "migrate", "up"))
    postgres.make_serving_login()
    port = free_port()
    variables = [f"DATABASE_URL={postgres.serving}", f"PORT={port}"]
    check = inside(variables, *image["Healthcheck"]["Test"][1:])
    with Serving(inside(variables, *image["Entrypoint"], *image["Cmd"]), port):
        if subprocess.run(check).returncode:
            raise Failed("the health check fails, though it serves")
    if not subprocess.run(check, stderr=subprocess.DEVNULL).returncode:
        raise Failed("the health check does not see that nobody serves")
    say("it migrates and serves from a read-only root, as a user without a name; its health check tells")
    return {"what": f"an image of {size} MB, built by buildah on a tree of debootstrap; it migrates and serves from a "
                    "read-only root without rights, and its health check tells when it does not", "times": 1}


class Buildah:
    """buildah with a store of its own, in the machine's folder, and without rights that a container host gives."""

    def __init__(self, machine: Machine):
        self.words = [program("buildah"), "--root", machine.folder / "images", "--runroot", machine.folder / "run",
                      "--storage-driver", "vfs"]

    def run(self, *words) -> str:
        done = subprocess.run(
            [str(word) for word in [*self.words, *words]], capture_output=True, text=True,
            env=dict(os.environ, BUILDAH_ISOLATION="chroot"))
        if done.returncode:
            raise Failed(f"buildah {words[0]}: {done.stderr[-1500:]}")
        return done.stdout.strip()
