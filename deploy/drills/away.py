"""One of two servers stops, is killed or hangs, and what that costs those who come through a proxy."""
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.client import HTTPException

from machine import Failed, Machine, eventually, say
from servers import Servers

AWAY_SECONDS = 20
# Through each proxy, whoever waits: each push is one of another device.
PUSHES_PER_SECOND = 20
# How long a device waits for an answer.
PATIENCE_SECONDS = 10
# None is answered for so long at most: the other server is there.
GAP_SECONDS_MAX = 2


@dataclass
class Push:
    """One, and when it was answered, with what."""

    begun: float
    ended: float
    answer: str

    @property
    def failed(self) -> bool:
        return self.answer != "200"


class Load:
    """Devices that push through a proxy, each once, on a connection of its own."""

    def __init__(self, push: Callable[[], int]):
        self.pushes: list[Push] = []
        # When each of those was sent that wait for their answer.
        self._waiting: dict[object, float] = {}
        self._push, self._ends = push, threading.Event()
        self._thread = threading.Thread(target=self._begin, daemon=True)

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._ends.set()
        self._thread.join(60)

    def _begin(self) -> None:
        # As many as can wait at a time.
        with ThreadPoolExecutor(PUSHES_PER_SECOND * (PATIENCE_SECONDS + 2)) as pool:
            while not self._ends.wait(1 / PUSHES_PER_SECOND):
                pool.submit(self._work)

    def _work(self) -> None:
        mark, begun = object(), time.monotonic()
        self._waiting[mark] = begun
        try:
            answer = str(self._push())
        except (OSError, HTTPException) as error:
            answer = type(error).__name__
        self.pushes.append(Push(begun, time.monotonic(), answer))
        self._waiting.pop(mark)

    def has_served(self, since: float, count: int) -> bool:
        return sum(not push.failed for push in list(self.pushes) if push.begun >= since) >= count

    def has_answered(self, before: float) -> bool:
        return all(begun >= before for begun in list(self._waiting.values()))


@dataclass
class Fault:
    """A way for one of the servers to go away and come back, and what that may cost at most."""

    name: str
    begin: Callable[[Machine, str], None]
    end: Callable[[Servers, str], None]
    # By proxy: the pushes that may fail.
    failed_max: dict[str, int]
    # And how long one may wait, where a proxy is to end what waits for a server that hangs.
    slowest_max: dict[str, float] = field(default_factory=dict)

    def run(self, servers: Servers, server: str, loads: dict[str, Load]) -> list[dict]:
        since = time.monotonic()
        self.begin(servers.machine, server)
        time.sleep(max(0.0, since + AWAY_SECONDS - time.monotonic()))
        self.end(servers, server)
        back = time.monotonic()
        for name, load in loads.items():
            eventually(f"{name} serves again", lambda: load.has_served(back, 2 * PUSHES_PER_SECOND))
            eventually("those that were sent before are answered, or give up", lambda: load.has_answered(back))
        return [self._cost(name, load, since, back) for name, load in loads.items()]

    def _cost(self, name: str, load: Load, since: float, back: float) -> dict:
        pushes = [push for push in list(load.pushes) if push.ended >= since and push.begun <= back + 2]
        answered = sorted(push.ended for push in pushes if not push.failed)
        failed = [push.answer for push in pushes if push.failed]
        gap = max(after - before for before, after in zip([since, *answered], [*answered, answered[-1]]))
        slowest = max(push.ended - push.begun for push in pushes)
        answers = ", ".join(sorted(set(failed)))
        say(f"{name}, one of two {self.name}: {len(failed)} of {len(pushes)} pushes failed, {gap:.1f} s without "
            f"service, the slowest took {slowest:.1f} s" + (f" ({answers})" if failed else ""))
        if len(failed) > self.failed_max[name]:
            raise Failed(f"{name}: {len(failed)} of {len(pushes)} pushes failed where one of two servers {self.name}: "
                         + answers)
        if gap > GAP_SECONDS_MAX:
            raise Failed(f"{name}: {gap:.1f} s without service where one of two servers {self.name}")
        if slowest > self.slowest_max.get(name, PATIENCE_SECONDS + 5):
            raise Failed(f"{name}: a push waited for {slowest:.1f} s where one of two servers {self.name}")
        return {"proxy": name, "fault": self.name, "failed": len(failed), "pushes": len(pushes),
                "gap": round(gap, 1), "slowest": round(slowest, 1)}


FAULTS = [
    # Caddy 2.6 sends what has a body to a server that is gone until its next check, and nowhere else.
    Fault("stops", Machine.stop, Servers.start, {"nginx": 2, "haproxy": 2, "caddy": 15}),
    # What is under way then is lost.
    Fault("is killed", Machine.kill, Servers.start, {"nginx": 5, "haproxy": 5, "caddy": 15}),
    # Caddy sends it half of what comes until a check says so; the others little, and HAProxy ends that after a while.
    Fault("hangs", lambda machine, name: machine.signal(name, signal.SIGSTOP),
          lambda servers, name: servers.machine.signal(name, signal.SIGCONT),
          {"nginx": 15, "haproxy": 15, "caddy": 40}, {"haproxy": 8}),
]


def run(servers: Servers, names: list[str], pushes: dict[str, Callable[[], int]]) -> list[dict]:
    """Each fault in turn, under load through each proxy at the same time."""
    loads = {name: Load(push) for name, push in pushes.items()}
    with ExitStack() as stack:
        for load in loads.values():
            stack.enter_context(load)
        found = []
        for place, fault in enumerate(FAULTS):
            found += fault.run(servers, names[place % len(names)], loads)
        return found
