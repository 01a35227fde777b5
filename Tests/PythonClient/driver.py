#!/usr/bin/env python3
"""The client in Python as a device of ‘syncserver compat --client’: docs/testing-your-builds.md has the lines.

    syncserver compat --app fitiq --client 0.0.8='python3 Tests/PythonClient/driver.py'
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from client import Device, fetch_schema
from faults import FAULTS
from store import Store
from transport import Problem, Transport, Unreachable
from values import Schema


class Driver:
    """Answers each line with what becomes of it."""

    def __init__(self, device_type: type[Device]):
        self._device_type = device_type
        self._device: Device

    def answer(self, line: dict) -> dict:
        word = line.get("do")
        action = {"hello": self.hello, "edit": self.edit, "sync": self.sync, "dump": self.dump, "stop": self.stop}
        if word not in action:
            return {"ok": False, "detail": f"this client does not do ‘{word}’"}
        try:
            return {"ok": True} | action[word](line)
        except (Problem, Unreachable) as error:
            return {"ok": False, "detail": str(error)}

    def hello(self, line: dict) -> dict:
        transport = Transport(line["url"], line["token"])
        store = Store(str(Path(line["folder"]) / "store.sqlite"))
        # A real client is built with its schema. This one asks once.
        if store["schema"] is None:
            store["schema"] = fetch_schema(transport, line["app"], line["version"])
        schema = Schema(line["version"], *store["schema"])
        self._device = self._device_type(transport, line["app"], line["space"], schema, store)
        return {"client": "the client in Python"}

    def edit(self, line: dict) -> dict:
        for change in line["changes"]:
            match change["op"]:
                case "create":
                    self._device.create(change["entity"], change["fields"], change["id"])
                case "update":
                    self._device.update(change["entity"], change["id"], change["fields"])
                case "delete":
                    self._device.delete(change["entity"], change["id"])
        self._device.means_to_delete = line["meansToDelete"]
        return {}

    def sync(self, line: dict) -> dict:
        sent = [change for _, change in self._device.store.outbox()]
        self._device.sync()
        refused = [
            {"entity": change["entity"], "id": change["id"], "verdict": verdict, "detail": self._why(change)}
            for change, verdict in zip(sent, self._device.verdicts) if verdict in ("rejected", "superseded")]
        return {"refused": refused}

    def _why(self, change: dict) -> str:
        for rejected, code, detail in self._device.store.rejections():
            if rejected == change:
                return f"{code}: {detail}"
        return ""

    def dump(self, line: dict) -> dict:
        view: dict[tuple[str, str], dict[str, Any]] = self._device.view()
        return {"records": [
            {"entity": entity, "id": id, "fields": fields} for (entity, id), fields in view.items()]}

    def stop(self, line: dict) -> dict:
        return {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fault", choices=FAULTS, help="a mistake to make, to be found")
    arguments = parser.parse_args()
    driver = Driver(FAULTS[arguments.fault] if arguments.fault else Device)
    for text in sys.stdin:
        line = json.loads(text)
        print(json.dumps(driver.answer(line), ensure_ascii=False), flush=True)
        if line.get("do") == "stop":
            break


if __name__ == "__main__":
    main()
