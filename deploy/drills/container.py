"""The image, from its Containerfile by buildah, on a tree of debootstrap; it serves read-only, as nobody, and is well."""
import json
import os
import shutil
import subprocess
from pathlib import Path

from devices import ROOT
from machine import Failed, Machine, eventually, free_port, program, say
from package import NAME, Tree, build
from postgres import Postgres
from servers import get

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
    variables = ["PATH=/usr/bin:/bin"]
    done = subprocess.run(
        enter(root, variables + [f"DATABASE_URL={postgres.owner}"], NAME, "migrate", "up"), capture_output=True,
        text=True)
    if done.returncode:
        raise Failed(f"migrate up: {done.stderr[-1000:]}")
    postgres.make_serving_login()
    port = free_port()
    variables += [f"DATABASE_URL={postgres.serving}", f"PORT={port}"]
    process = subprocess.Popen(
        enter(root, variables, *image["Entrypoint"], *image["Cmd"]), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        eventually("it serves", lambda: process.poll() is not None or get(port, "/readyz") == 200)
        if process.poll() is not None:
            raise Failed(f"it ended: {process.stdout.read().decode()[-1000:]}")
        words = image["Healthcheck"]["Test"][1:]
        if subprocess.run(enter(root, variables, *words)).returncode:
            raise Failed("the health check fails, though it serves")
    finally:
        process.terminate()
        process.wait(30)
    if not subprocess.run(enter(root, variables, *words), stderr=subprocess.DEVNULL).returncode:
        raise Failed("the health check does not see that nobody serves")
    say("it migrates and serves from a read-only root, as a user without a name; its health check tells")
    return {"what": f"an image of {size} MB, built by buildah on a tree of debootstrap; it migrates and serves from a "
                    "read-only root without rights, and its health check tells when it does not", "times": 1}


def enter(root: Path, variables: list[str], *words: str) -> list[str]:
    """As a container is run: a read-only root, a user without a name, an environment of its own."""
    script = ('mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && mount -t proc proc "$0/proc" && '
              'exec chroot --userspec=65532:65532 "$0" /usr/bin/env -i "$@"')
    return [program("unshare"), "--mount", program("bash"), "-c", script, str(root), *variables, *words]


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
