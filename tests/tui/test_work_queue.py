"""One list of what is left to do: n and N walk it, failures first, and it says when nothing is left."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.invoice_desk import invoice_desk
from tests.app.refund_desk import refund_desk
from tests.examples import examples
from tests.tui.driving import opened
from workbench.app.session_state import SessionState
from workbench.model import CallDecision, Decision, Verdict
from workbench.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.messages import Place, PlaceKind, ViewName
from workbench.tui.navigation import DONE, Queue, Task, tasks
from workbench.tui.widgets.pane import Pane


async def test_n_walks_every_open_thing_from_every_view(tmp_path: Path) -> None:
    invoice_desk(tmp_path).close()
    async with opened(tmp_path / "desk") as person:
        state = person.app.state
        assert state is not None
        found = tasks(state)
        assert len(found) > 6
        await person.press("R", "n")
        asked = sum(task.noun == "question" for task in found)
        assert asked == len(state.open) < len(found), "a question has the number that the first line counts"
        person.line(f"Question 1 of {asked}: an open sentence")
        person.line("line 3: “Our desk pays about")
        assert person.text.count("Our desk pays about") == 2, "in the list and at its place"
        await person.press("n")
        person.line(f"Question 2 of {asked}: an open sentence")
        person.line("line 5: “Nothing over 5,000")
        person.line(f"n next (question 2 of {asked})")
        person.line("Enter e say it")
        await person.press("N", "N")
        noun = found[-1].noun
        last = sum(task.noun == noun for task in found)
        person.line(f"{noun[:1].upper()}{noun[1:]} {last} of {last}, from the last again")


async def test_the_walk_goes_on_after_what_is_done(tmp_path: Path) -> None:
    """A sentence that was passed over does not come again before those behind it."""
    invoice_desk(tmp_path).close()
    async with opened(tmp_path / "desk") as person:
        await person.press("n", "n")
        person.line("line 5: “Nothing over 5,000")
        await person.press("enter", "ctrl+u")
        await person.type("context: it is said elsewhere")
        await person.press("enter")
        left = len(person.app.state.open)
        await person.press("n")
        person.line(f"Question 2 of {left}")
        assert "line 3: “" not in person.text


@given(st.data())
@settings(max_examples=examples(300), deadline=None)
def test_the_queue_is_walked_in_its_order_whatever_is_done_meanwhile(data: st.DataObject) -> None:
    """What is told is a new failure; else the first behind the last of those passed that is still there."""
    every = [Task(Place(ViewName.AUTHOR, PlaceKind.CASE, str(n)), "case", fails=n < 3) for n in range(8)]
    queue, passed, known = Queue(), list[Task](), set[Place]()
    for _ in range(6):
        left = data.draw(st.lists(st.sampled_from(every), unique_by=lambda one: one.place))
        left.sort(key=every.index)
        with mock.patch("workbench.tui.navigation.tasks", return_value=left):
            found = queue.go(SessionState("desk"), 1)
        if not left:
            assert found is None
            continue
        assert found is not None
        last = max((every.index(one) for one in passed if one in left), default=-1)
        behind = [one for one in left if every.index(one) > last]
        anew = [one for one in left if one.fails and one.place not in known]
        assert found[0] == (anew or behind or left)[0]
        assert found[1].startswith(f"case {left.index(found[0]) + 1} of {len(left)}")
        passed = left[: left.index(found[0]) + 1]
        known = {one.place for one in left}


async def test_n_leads_back_to_what_is_open_from_a_visit_elsewhere(tmp_path: Path) -> None:
    invoice_desk(tmp_path).close()
    async with opened(tmp_path / "desk") as person:
        await person.press("n", "n")
        second = person.app.going.here
        for keys in (("R", "down"), ("P",), ("R", "A")):
            await person.press(*keys, "n")
            assert person.app.going.here == second
            person.line("line 5: “Nothing over 5,000")
        await person.press("n")
        assert person.app.going.here != second


def test_from_the_calls_the_walk_goes_to_what_is_asked_anew_and_before_them_to_what_was_passed_over() -> None:
    kinds = (PlaceKind.QUESTION,) * 3 + (PlaceKind.CALL,) * 2
    every = [Task(Place(ViewName.AUTHOR, kind, str(at)), kind) for at, kind in enumerate(kinds)]
    queue, told = Queue(), list[int]()
    for left in ((0, 2, 3, 4), (0, 2, 3, 4), (0, 2, 3, 4), (0, 1, 2, 3, 4), (1, 2, 3, 4), (0, 1, 2, 3, 4)):
        with mock.patch("workbench.tui.navigation.tasks", return_value=[every[at] for at in left]):
            found = queue.go(SessionState("desk"), 1)
        assert found is not None
        told.append(every.index(found[0]))
    assert told == [0, 2, 3, 1, 2, 0], "since 0 was done once, what is asked comes again before 3"


async def test_failures_come_first_and_an_empty_list_says_what_is_next(asked_desk: Path) -> None:
    async with opened(asked_desk) as person:
        state = person.app.state
        assert state is not None
        assert state.open
        kinds = [task.place.kind for task in tasks(state)]
        assert kinds.index(PlaceKind.QUESTION) < kinds.index(PlaceKind.CALL)
        failing = {name: replace(one, passed=False) for name, one in state.results.items()}
        worse = replace(state, results=failing).derive()
        kinds = [task.place.kind for task in tasks(worse)]
        asked, waits = kinds.index(PlaceKind.QUESTION), len(worse.waiting)
        assert 0 < waits < len(failing)
        assert kinds[:asked] == [PlaceKind.CASE] * (len(failing) - waits), (
            "those first that no question is about"
        )
        assert kinds[asked + 1 :][:waits] == [PlaceKind.CASE] * waits
        assert Queue().go(SessionState("empty"), 1) is None
        person.app.known.state = SessionState("empty")
        await person.press("n")
        person.line(DONE)
        await person.press("escape")
        with mock.patch.object(WorkbenchApp, "busy", property(lambda _: True)):
            person.app.going.do_next()
        await person.settle()
        assert DONE not in person.text
        person.line("Nothing is left so far")


def test_a_call_of_an_unknown_tool_is_left_to_look_at() -> None:
    decided = CallDecision("small-refund", 3, Decision(Verdict.CANNOT_EVALUATE, (), {}))
    (task,) = tasks(SessionState("desk", decisions=(decided,)))
    assert task == Task(Place.of_call(0), "call that cannot be evaluated", "the first of its tool")


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


async def test_n_shows_each_question_with_its_options_and_counts_it_once(tmp_path: Path) -> None:
    async with opened(refund_desk(tmp_path / "refunds", left_open=3), (120, 21)) as person:
        state = person.app.state
        assert [task.place.name for task in tasks(state) if task.noun == "question"] == [
            question.id for question in state.open
        ]
        person.line("? 3 questions")
        for _ in state.open:
            await person.press("n")
            person.line("? Some calls are permitted")
            person.line("2 This sentence wins")


async def test_n_goes_to_each_of_two_questions_about_one_sentence(tmp_path: Path) -> None:
    async with opened(refund_desk(tmp_path / "refunds", left_open=1)) as person:
        state = person.app.state
        (first,) = state.open
        second = replace(first, id="another", text="Is that meant too?")
        shown = replace(state, questions=(*state.questions, second)).derive()
        assert len([task for task in tasks(shown) if task.noun == "question"]) == len(shown.open) == 2
        person.app.known.state = shown
        person.app.draw()
        await person.press("n", "n")
        person.line("? Is that meant too?")
        assert "Which wins" not in person.text
