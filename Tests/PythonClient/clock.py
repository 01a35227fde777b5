"""The hybrid logical clock of docs/protocol.md, ‘Stamps’."""

import time
from typing import Callable

COUNTER_BITS = 11


class HybridClock:
    """Makes stamps that grow, whatever the device's own clock does: 42 bits of milliseconds, 11 of a counter."""

    def __init__(self, largest: int = 0, now: Callable[[], float] = time.time):
        self.largest = largest
        self._now = now
        self._ahead_seconds = 0.0

    def next(self) -> int:
        """A stamp larger than all that this device has made or seen."""
        milliseconds = int((self._now() + self._ahead_seconds) * 1000)
        self.largest = max(milliseconds << COUNTER_BITS, self.largest + 1)
        return self.largest

    def age_seconds(self, stamp: int) -> int:
        """How long ago a stamp was made, by this clock; never less than none."""
        return max(0, int(self._now() + self._ahead_seconds - (stamp >> COUNTER_BITS) / 1000))

    def observe(self, stamp: int | None) -> None:
        """Moves past a stamp that another device made."""
        self.largest = max(self.largest, stamp or 0)

    def set(self, server_seconds: float) -> None:
        """Sets the clock by the server's. Stamps that are made already stay the lower bound."""
        self._ahead_seconds = server_seconds - self._now()
