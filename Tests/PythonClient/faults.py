"""Clients that are wrong in one way each. With each of them the scenarios must fail."""

from itertools import count

from client import Device


class SkipsAPage(Device):
    """Keeps the cursor of a page without its records, once in a while."""

    _pages = 0

    def take_in(self, page: dict) -> None:
        self._pages += 1
        super().take_in(page | {"changes": []} if self._pages % 3 == 0 else page)


class TurnsItsClockBack(Device):
    """Makes a smaller stamp each time."""

    _stamps = count(1 << 50, -1)

    def enqueue(self, change: dict) -> None:
        self.clock.next = lambda: next(self._stamps)
        super().enqueue(change)


class ForgetsTheOutbox(Device):
    """Sends a batch, and drops it without waiting for an answer."""

    def _batch(self) -> list[tuple[int, dict]]:
        batch = super()._batch()
        for place, _ in batch:
            self.store.sent(place)
        return batch


FAULTS = {"skip-page": SkipsAPage, "turn-clock-back": TurnsItsClockBack, "forget-outbox": ForgetsTheOutbox}
