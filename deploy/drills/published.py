"""The files of deploy/ as operators have them, where only addresses, certificates and descriptors are others."""
import resource

from devices import ROOT
from machine import Failed

# The server that each file names, and one more, in a comment.
FIRST, SECOND = "127.0.0.1:8080", "10.0.0.12:8080"


def published(name: str, *replacements: tuple[str, str]) -> str:
    text = (ROOT / "deploy" / name).read_text()
    for old, new in replacements:
        if old not in text:
            raise Failed(f"deploy/{name} has no ‘{old}’")
        text = text.replace(old, new)
    return text


def nginx(upstreams: list[int], *replacements: tuple[str, str]) -> str:
    return published("nginx/syncserver.conf", *named(upstreams, "    # server "), *replacements)


def haproxy(listen: str, upstreams: list[int]) -> str:
    """With another `bind` than the file's, which may be one without TLS."""
    return published(
        "haproxy/haproxy.cfg", ("    log /dev/log local0\n    user haproxy\n    group haproxy\n", ""),
        # What it takes for itself is twice that; not everywhere may it have so many.
        ("maxconn 20000", f"maxconn {min(20_000, descriptors() // 2 - 100)}"),
        ("bind :443 ssl crt /etc/syncserver/tls/haproxy.pem alpn h2,http/1.1", listen),
        *named(upstreams, "    # server two "))


def caddy(upstreams: list[int], *replacements: tuple[str, str]) -> str:
    return published("caddy/Caddyfile", *named(upstreams, "\t\t# to "), *replacements)


def named(upstreams: list[int], comment: str) -> list[tuple[str, str]]:
    """The replacements that name one server, or two: the second by taking its line out of its comment."""
    first = (FIRST, f"127.0.0.1:{upstreams[0]}")
    if len(upstreams) == 1:
        return [first]
    if len(upstreams) > 2:
        raise Failed("the published files have a line for a second server, and none for a third")
    return [first, (comment + SECOND, comment.replace("# ", "") + f"127.0.0.1:{upstreams[1]}")]


def descriptors() -> int:
    """The number of files that a process of ours may have open."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[1]
