"""What is not in force stands in rows that Enter mends."""

from __future__ import annotations

from pathlib import Path

from workbench.app.enforced import accept_command
from workbench.app.owed import Owed, OwedKind
from workbench.app.session_state import SessionState
from workbench.tui.keys import on_the_screen
from workbench.tui.messages import Go, Place, PlaceKind, Say, ViewName
from workbench.tui.navigation import tasks
from workbench.tui.owed_rows import mending, owed_rows
from workbench.tui.views.author.spine import OWED, owner_of, spine_keys

STALE = Owed(OwedKind.DRAFT, "draft", "The policy is of the draft", "the request changed", "workbench draft")
ANSWERED = Owed(OwedKind.ANSWER, "a", "Alpha", "the policy says otherwise", "workbench answer a --retract")
LOST = Owed(OwedKind.FILE, "policy.py", "policy.py is read", "it cannot be read", "write it again")
STATE = SessionState("x", owed=(STALE, ANSWERED, LOST))


def test_enter_on_what_is_not_in_force_does_what_mends_it() -> None:
    names = [row.key.partition(":")[2] for row in owed_rows(STATE.owed)]
    stale, answered, lost = dict.fromkeys(names)
    assert mending(STATE.owed, stale) == Go(Place(ViewName.AUTHOR), then="redraft")
    assert mending(STATE.owed, answered) == Go(Place(ViewName.AUTHOR, PlaceKind.ANSWER, "a"), then="edit")
    assert isinstance(mending(STATE.owed, lost), Say)
    assert mending(STATE.owed, "none of them") is None


def test_a_text_for_a_shell_names_the_command_of_the_screen() -> None:
    name = "logs/runs.jsonl:d0cc"
    command = accept_command(Path("/tmp/a desk"), name)
    assert on_the_screen(f"or accept that: {command}") == "or accept that: “: accept”"
    assert on_the_screen(f"Run '{accept_command(Path('desk'))}'.") == "Run “: accept”."
    log = Owed(OwedKind.LOG, name, "it is read", "lines are not", f"accept that: {command}")
    assert not any("workbench check" in run.text for row in owed_rows([log]) for run in row.lines(900)[0])


def test_each_thing_that_is_not_in_force_is_left_to_do_at_its_own_row() -> None:
    places = [task.place for task in tasks(STATE)]
    assert len(places) == len(set(places)) == 3
    assert spine_keys(STATE)[0] == OWED
    rows = {row.key for row in owed_rows(STATE.owed)}
    found = [owner_of(STATE, place) for place in places if place.kind is PlaceKind.OWED]
    assert found and all(owner == OWED and key in rows for key, owner in found)
