"""A call that waits is granted: the regions around it are shown first, and it runs by the grant."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.accepting import asking
from workbench.app.workbench import Workbench
from workbench.cli import live_runs, main
from workbench.model import Verdict
from workbench.session.grants_file import load_grants

ROOT = Path(__file__).resolve().parents[2]
AGENT = f"{ROOT}/examples/live/scripted_agent.py:act"
WORLD = f"{ROOT}/examples/live/travel_desk.py:TravelDesk"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = tmp_path / "travel-desk"
    shutil.copytree(ROOT / "sessions" / "travel-desk", folder)
    asking(folder)
    return folder


class Terminal:
    """A person who types some lines as soon as the regions around the first call are shown."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *typed: str) -> None:
        self.told: list[str] = []
        self._typed = typed
        self._shown = threading.Event()
        monkeypatch.setattr(live_runs, "note", self._note)
        monkeypatch.setattr("sys.stdin", self._lines())

    def _note(self, line: str) -> None:
        self.told.append(line)
        if "Type, to grant one" in line or "no grant." in line:
            self._shown.set()

    def _lines(self) -> Iterator[str]:
        assert self._shown.wait(100)
        yield from self._typed


def live(desk: Path, log: Path) -> int:
    return main(
        ["live", str(desk), "--agent", AGENT, "--world", WORLD, "--task", "changed-account", "--ask",
         "--ask-seconds", "300", "--log", str(log)]
    )  # fmt: skip


def test_a_call_that_waits_is_granted_and_runs_by_the_grant(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal(monkeypatch, "grant 1 99 once 1 no\n", "grant 1 1 once 1 the fair\n")
    log = tmp_path / "live.jsonl"
    assert live(desk, log) == 0, terminal.told
    told = "\n".join(terminal.told)
    assert "grant 1 1 opens exactly this call" in told
    assert "1 logged call in it, of which it lets 1 run" in told
    assert "99 is none of them" in told
    (grant,) = load_grants(desk)
    assert (grant.scope.value, grant.reason, grant.tool) == ("once", "the fair", "pay_invoice")
    records = [json.loads(line) for line in log.read_text().splitlines()]
    (granted,) = [one for one in records if one.get("granted")]
    assert granted["granted"] == [grant.id]
    with closing(Workbench.open_to_guard(desk)) as bench:
        assert [one.state for one in bench.grants.listed()] == ["used up: a guard let a call run by it"]
        _, decided = bench.enforced.replayed([log])
        assert [one.decision.verdict for one in decided].count(Verdict.ASK) == 1
