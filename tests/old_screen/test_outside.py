"""Edits that other programs make in an open session: they are shown, and no edit is lost."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.notifications import Notify

from tests.old_screen.screens import Heard, settled, until_settled
from tests.old_screen.test_app import quick
from workbench.app.proof import Proving
from workbench.app.workbench import Workbench
from workbench.model import WorkbenchError
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.live_session import LiveSession
from workbench.old_screen.widgets.policy import PolicyPane
from workbench.session import SessionError, watching
from workbench.session.watching import FileWatch

assert quick
SHIPPED = Path(__file__).parents[2] / "sessions" / "web-shopping"


def no_prover(_proving: Proving) -> None:
    """Stands in for starting the prover: nothing is proved here."""


@pytest.fixture(autouse=True)
def unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no prover."""
    monkeypatch.setattr(Proving, "start", no_prover)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a shipped session."""
    copy = tmp_path / "session"
    shutil.copytree(SHIPPED, copy, ignore=shutil.ignore_patterns(".workbench"))
    return copy


@pytest.fixture
def port(folder: Path) -> Iterator[LiveSession]:
    """The session as the screen has it."""
    opened = LiveSession(folder)
    yield opened
    opened.close()


def rules(text: str) -> list[str]:
    """The lines that begin the rules of a policy."""
    return [line for line in text.splitlines() if line.startswith("def forbid_")]


def with_note(text: str, rule: int, note: str) -> str:
    """The policy with a comment in the body of a rule."""
    head = rules(text)[rule]
    return text.replace(head, f"{head}\n    # {note}")


def test_a_watch_tells_of_a_change_and_ends(tmp_path: Path) -> None:
    told = threading.Event()
    watch = FileWatch([tmp_path / "a", tmp_path / "b"], told.set, every=0.01)
    watch.start()
    assert not told.is_set()
    (tmp_path / "b").write_text("x", encoding="utf-8")
    assert told.wait(60)
    watch.stop()
    told.clear()
    (tmp_path / "a").write_text("x", encoding="utf-8")
    assert not [thread for thread in threading.enumerate() if thread.name == "file-watch"]
    assert not told.is_set()


def test_a_policy_written_outside_is_taken_over(port: LiveSession, folder: Path) -> None:
    before = port.contents().policy
    assert port.changed_outside() == ()
    assert port.take_outside(before) is None
    (folder / "policy.py").write_text(with_note(before, 0, "outside"), encoding="utf-8")
    assert port.changed_outside() == ("policy.py",)
    found = port.take_outside(before)
    assert found is not None
    assert "# outside" in found.policy
    assert "policy.py" in found.notice
    undone = port.undo()
    assert undone is not None
    assert undone.policy == before


def test_edits_of_different_rules_are_merged(port: LiveSession, folder: Path) -> None:
    before = port.contents().policy
    ours = with_note(before, 0, "ours")
    (folder / "policy.py").write_text(with_note(before, 1, "outside"), encoding="utf-8")
    found = port.take_outside(ours)
    assert found is not None
    assert "# ours" in found.policy
    assert "# outside" in found.policy
    assert found.policy == (folder / "policy.py").read_text(encoding="utf-8")
    assert "merged" in found.notice
    undone = port.undo()
    assert undone is not None
    assert undone.policy == ours


@pytest.mark.parametrize("broken", [False, True])
def test_edits_that_do_not_fit_together_keep_both(port: LiveSession, folder: Path, broken: bool) -> None:
    before = port.contents().policy
    ours = with_note(before, 0, "ours")
    theirs = "def (" if broken else with_note(before, 0, "outside")
    (folder / "policy.py").write_text(theirs, encoding="utf-8")
    found = port.take_outside(ours)
    assert found is not None
    assert found.policy == ours
    assert found.kept
    assert "do not fit together" in found.notice
    assert port.version(str(len(found.versions))) == theirs
    assert (folder / "policy.py").read_text(encoding="utf-8") == theirs
    stored = port.store(ours)
    assert stored is not None
    assert not stored.kept
    assert (folder / "policy.py").read_text(encoding="utf-8") == ours


def test_a_request_written_outside_is_carried_into_the_policy(port: LiveSession, folder: Path) -> None:
    before = port.contents()
    ours = with_note(before.policy, 1, "ours")
    text = less(before.request)
    (folder / "request.md").write_text(text, encoding="utf-8")
    found = port.take_outside(ours)
    assert found is not None
    assert found.request == text
    assert "# ours" in found.policy
    assert len(rules(found.policy)) < len(rules(before.policy))


def less(request: str) -> str:
    """A request without one of its rules."""
    return request[: request.index("## Rule 1")] + request[request.index("## Rule 2") :]


def test_a_request_edited_here_or_outside_changes_the_draft_alike(port: LiveSession, folder: Path) -> None:
    before = port.contents()
    found = port.set_request(less(before.request))
    assert found is not None
    assert found.policy != before.policy
    port.undo()
    port.close()
    (folder / "request.md").write_text(less(before.request), encoding="utf-8")
    bench = Workbench.open(folder)
    try:
        assert bench.request.redraft().policy
        assert bench.session.policy == found.policy
        assert not bench.request.redraft().policy
    finally:
        bench.close()


def test_a_file_that_cannot_be_read_is_not_taken_over(port: LiveSession, folder: Path) -> None:
    before = port.contents()
    whole = (folder / "agent.toml").read_text(encoding="utf-8")
    (folder / "agent.toml").write_text(whole[: len(whole) // 2] + "\n[", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(SessionError, match=r"agent\.toml"):
            port.changed_outside()
        with pytest.raises(WorkbenchError):
            port.take_outside(before.policy)
    assert port.contents().spec == before.spec
    (folder / "request.md").rename(folder / "elsewhere")
    (folder / "agent.toml").write_text(whole, encoding="utf-8")
    with pytest.raises(SessionError, match=r"request\.md was removed"):
        port.changed_outside()
    (folder / "elsewhere").rename(folder / "request.md")
    assert port.changed_outside() == ()


async def test_the_open_screen_shows_what_another_program_wrote(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "EVERY", 0.02)
    app = WorkbenchApp(LiveSession(folder))
    app.animation_level = "none"
    heard = Heard()
    async with app.run_test(size=(120, 40), message_hook=heard) as pilot:
        await settled(app, pilot)
        pane = app.query_one(PolicyPane)
        before = pane.text
        (folder / "policy.py").write_text(with_note(before, 1, "outside"), encoding="utf-8")
        await until_settled(app, pilot, lambda: "# outside" in pane.text)
        assert not pane.editor.read_only
        agent = (folder / "agent.toml").read_text(encoding="utf-8")
        (folder / "agent.toml").write_text("[", encoding="utf-8")
        await until_settled(app, pilot, lambda: any("not taken over" in one for one in said(heard)))
        pane.editor.insert("# mine\n", (0, 0))
        await settled(app, pilot)
        assert "# mine" not in (folder / "policy.py").read_text(encoding="utf-8")
        (folder / "agent.toml").write_text(agent, encoding="utf-8")
        await until_settled(app, pilot, lambda: app.board.contents.policy == pane.text)
        await pilot.press("ctrl+q")
        await pilot.pause()
    assert "# mine" in (folder / "policy.py").read_text(encoding="utf-8")


def said(heard: Heard) -> list[str]:
    """What the user was told."""
    return [message.notification.message for message in heard.of(Notify)]
