"""What schemathesis cannot know of the API."""

import re

import schemathesis
from schemathesis import GenerationMode

# A cursor says nothing to clients, so no schema can tell a good one from an invented one. Those that a server gave
# (links between operations bring them) are sent as they are; invented ones are sent only where a request is meant to
# be wrong.
CURSOR = re.compile(r"[A-Za-z0-9_-]{40,}")


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    for part in (case.query, case.body):
        if isinstance(part, dict) and isinstance(part.get("cursor"), str) and not CURSOR.fullmatch(part["cursor"]):
            del part["cursor"]
