"""basedpyright on a folder with a policy and its stub, as a command and as the server of an editor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

_SCRIPTS = Path(sys.executable).parent


def configured(folder: Path, mode: str = "standard") -> Path:
    """The folder with the settings of the checker; the packages are those of these tests."""
    settings = {"typeCheckingMode": mode, "pythonVersion": "3.12"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return folder


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """An error that the checker shows: its file in the folder, its line (from 1), its rule and its text."""

    file: str
    line: int
    rule: str
    message: str


def errors(folder: Path) -> list[Diagnosis]:
    """The errors that basedpyright has in a folder, all of whose folders are checked by one process."""
    command = [_SCRIPTS / "basedpyright", "--outputjson", "--pythonpath", sys.executable, "-p", folder]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [
        _diagnosis(os.path.relpath(item["file"], folder), item)
        for item in found
        if item["severity"] == "error"
    ]


def _diagnosis(file: str, item: dict[str, Any]) -> Diagnosis:
    rule = item.get("rule") or item.get("code") or ""
    return Diagnosis(file, item["range"]["start"]["line"] + 1, rule, item["message"])


class Editor:
    """An editor that speaks to a language server over its standard input and output."""

    def __init__(self, folder: Path, sent: IO[bytes], received: IO[bytes]) -> None:
        """Say hello, with the folder that is open."""
        self._sent, self._received = sent, received
        self._folder = folder
        self._number = 0
        self._diagnostics: dict[str, list[Diagnosis]] = {}
        capabilities = {"workspace": {"configuration": True}}
        self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": folder.as_uri(),
                "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
                "capabilities": capabilities,
            },
        )
        self.tell("initialized", {})

    def tell(self, method: str, parameters: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": parameters})

    def ask(self, method: str, parameters: Any) -> Any:
        """Send a request, and wait for its answer."""
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": parameters})
        return self._until(lambda message: message.get("id") == number and "method" not in message)["result"]

    def open(self, name: str, text: str) -> None:
        """Open a file of the folder."""
        item = {"uri": self._uri(name), "languageId": "python", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def errors(self, name: str) -> list[Diagnosis]:
        """The errors that the server publishes for an open file, once it publishes some."""
        while not self._diagnostics.get(self._uri(name)):
            self._receive()
        return self._diagnostics[self._uri(name)]

    def completions(self, name: str, line: int, character: int) -> list[str]:
        """What the server offers at a place (from 0)."""
        place = {
            "textDocument": {"uri": self._uri(name)},
            "position": {"line": line, "character": character},
        }
        answer = self.ask("textDocument/completion", place)
        return [item["label"] for item in answer["items"]]

    def _uri(self, name: str) -> str:
        return (self._folder / name).as_uri()

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._sent.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._sent.flush()

    def _until(self, is_it: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            message = self._receive()
            if is_it(message):
                return message

    def _receive(self) -> dict[str, Any]:
        """The next message; what the server asks is answered, and what it publishes is kept."""
        length = 0
        while header := self._received.readline().strip():
            name, _, value = header.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the language server ended"
        message: dict[str, Any] = json.loads(self._received.read(length))
        if "id" in message and "method" in message:
            wanted = message["params"]
            answer = [self._settings() for _ in wanted["items"]] if "items" in (wanted or {}) else None
            self._send({"id": message["id"], "result": answer})
        elif message.get("method") == "textDocument/publishDiagnostics":
            published = message["params"]
            items = [item for item in published["diagnostics"] if item["severity"] == 1]
            self._diagnostics[published["uri"]] = [_diagnosis(published["uri"], item) for item in items]
        return message

    def _settings(self) -> dict[str, Any]:
        return {"pythonPath": sys.executable}


@contextmanager
def editing(folder: Path) -> Generator[Editor]:
    """An editor with a folder open, served by basedpyright."""
    command = [_SCRIPTS / "basedpyright-langserver", "--stdio"]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
    assert server.stdin is not None and server.stdout is not None
    try:
        yield Editor(folder, server.stdin, server.stdout)
    finally:
        server.kill()
        server.wait()
        server.stdin.close()
        server.stdout.close()
