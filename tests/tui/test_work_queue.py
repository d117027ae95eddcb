"""One list of what is left to do: n and N walk it, failures first, and it says when nothing is left."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.app.invoice_desk import invoice_desk
from tests.tui.driving import opened
from workbench.app.session_state import SessionState
from workbench.model import CallDecision, Decision, Verdict
from workbench.session import Session
from workbench.tui.messages import Place, PlaceKind, ViewName
from workbench.tui.navigation import DONE, task_after, tasks
from workbench.tui.widgets.pane import Pane


async def test_n_walks_every_open_thing_from_every_view(tmp_path: Path) -> None:
    invoice_desk(tmp_path).close()
    async with opened(tmp_path / "desk") as person:
        state = person.app.state
        assert state is not None
        found = tasks(state)
        assert len(found) > 6
        await person.press("R", "n")
        person.line(f"1 of {len(found)}: open:")
        person.line("line 3: “Our desk pays about")
        await person.press("n")
        person.line(f"2 of {len(found)}: open:")
        person.line("line 5: “Nothing over 5,000")
        await person.press("N", "N")
        person.line(f"{len(found)} of {len(found)}, from the last again: ")


async def test_failures_come_first_and_an_empty_list_says_what_is_next(asked_desk: Path) -> None:
    async with opened(asked_desk) as person:
        state = person.app.state
        assert state is not None
        assert state.open
        kinds = [task.place.kind for task in tasks(state)]
        assert kinds.index(PlaceKind.REQUIREMENT) < kinds.index(PlaceKind.CALL)
        failed = next(iter(state.results.values()))
        worse = replace(state, results={**state.results, failed.case: replace(failed, passed=False)})
        first = tasks(worse)[0]
        assert first.place == Place(ViewName.AUTHOR, PlaceKind.CASE, failed.case)
        assert task_after(SessionState("empty"), Place(ViewName.AUTHOR), 1) is None
        person.app.known.state = SessionState("empty")
        await person.press("n")
        person.line(DONE)


def test_a_call_of_an_unknown_tool_is_named_by_its_run() -> None:
    decided = CallDecision("small-refund", 3, Decision(Verdict.CANNOT_EVALUATE, (), {}))
    (task,) = tasks(SessionState("desk", decisions=(decided,)))
    assert task.words == "cannot be evaluated: call 3 of small-refund"


async def test_n_goes_to_each_problem_of_the_policy(shop: Path) -> None:
    with Session.open(shop) as session:
        session.set_text("policy.py", f"import os\nimport sys\n{session.written}")
    async with opened(shop) as person:
        first, second = (task.place for task in tasks(person.app.state)[:2])
        assert (first.kind, second.kind) == (PlaceKind.PROBLEM, PlaceKind.PROBLEM)
        for place in (first, second):
            await person.press("n")
            pane = person.app.view.current
            assert isinstance(pane, Pane) and pane.key == f"problem:{place.name}"
        await person.press("N")
        assert "1 of" in person.text
