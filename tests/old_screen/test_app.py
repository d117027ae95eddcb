"""The screen with the sample session: what keys do, what is posted, and what is then shown."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from textual import events
from textual.pilot import Pilot

from tests.old_screen.screens import Heard, drawn, screen_text, settled, until, words
from workbench.model import ClauseProof, Proof, ProofStatus, Step, StepDecision, Verdict, WorkbenchError
from workbench.old_screen import background_work, messages
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.samples.sample import ASSUMPTIONS, CONTENTS, POLICY, PROOF, QUESTIONS, REFUTED
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.screen_state import stages
from workbench.old_screen.state import Contents, StageCondition, StageName
from workbench.old_screen.widgets import question
from workbench.old_screen.widgets.cases import CasesPane
from workbench.old_screen.widgets.details import DetailsPane
from workbench.old_screen.widgets.editor import Editor
from workbench.old_screen.widgets.pipeline_line import PipelineLine
from workbench.old_screen.widgets.policy import PolicyPane
from workbench.old_screen.widgets.proof import ProofPane
from workbench.old_screen.widgets.question import QuestionOptions, QuestionPanel
from workbench.old_screen.widgets.rail import Rail
from workbench.old_screen.widgets.replay import ReplayPane
from workbench.policy.terms import PolicyTerms

ANSWERED = replace(CONTENTS, questions=(), assumptions=ASSUMPTIONS)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for a person in a test."""
    for name in ("CHECK_AFTER", "KEEP_AFTER", "STORE_AFTER", "SLOW_AFTER"):
        monkeypatch.setattr(background_work, name, 0.01)
    monkeypatch.setattr(question, "GRACE_SECONDS", 0.0)


type Driven = tuple[WorkbenchApp, Pilot[None], Heard]


WIDE = (200, 60)
"""For what fits on a smaller screen in part only; a small one is drawn faster."""


@asynccontextmanager
async def opened(port: SamplePort, size: tuple[int, int] = (120, 40)) -> AsyncGenerator[Driven]:
    """The app on a port, ready."""
    app = WorkbenchApp(port)
    app.animation_level = "none"
    heard = Heard()
    async with app.run_test(size=size, message_hook=heard) as pilot:
        await settled(app, pilot)
        yield app, pilot, heard


async def type_over(app: WorkbenchApp, pilot: Pilot[None], old: str, new: str) -> None:
    """Replace a piece of the policy, by one edit of the text area."""
    editor = app.query_one(Editor)
    before = editor.text[: editor.text.index(old)]
    row, column = before.count("\n"), len(before) - before.rfind("\n") - 1
    editor.focus()
    editor.replace(new, (row, column), (row, column + len(old)))
    await pilot.pause()


def condition(app: WorkbenchApp, name: StageName) -> StageCondition:
    return next(stage.condition for stage in stages(app.board) if stage.name is name)


async def test_opening_reads_the_session_and_runs_everything() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, _, heard):
        assert [message.problems for message in heard.of(messages.Checked)] == [()]
        assert len(heard.of(messages.Decided)[-1].decisions) == 40
        assert {stage.name: stage.condition for stage in stages(app.board)} == {
            StageName.CLARIFY: StageCondition.GOOD,
            StageName.DRAFT: StageCondition.GOOD,
            StageName.TEST: StageCondition.BAD,
            StageName.PROVE: StageCondition.GOOD,
            StageName.REPLAY: StageCondition.GOOD,
        }
        assert "1 of 9 failed" in drawn(app.query_one(PipelineLine))
        assert "expected deny, got allow" in drawn(app.query_one(CasesPane))
        assert drawn(app.query_one(ProofPane)).count("proved (Nagini)") == 3
        assert isinstance(app.focused, PolicyPane), "a stray key must not edit"


async def test_an_answer_by_one_key_becomes_an_assumption_and_changes_the_policy() -> None:
    async with opened(SamplePort(), WIDE) as (app, pilot, heard):
        assert isinstance(app.focused, QuestionOptions)
        text = drawn(app.query_one(QuestionOptions))
        assert "General admission may" in text
        assert "R3 is about general administration." in text
        await pilot.press("1")
        await settled(app, pilot)
        await pilot.press("a")
        await settled(app, pilot)
        answers = [(message.question.id, message.value) for message in heard.of(messages.Answered)]
        assert answers == [("vocabulary:general-admission", "same"), ("boundary:rows", "no")]
        assert "rows >= 100" in app.query_one(PolicyPane).text
        assert "A hundred rows are too many." in words(app.query_one(Rail))
        assert condition(app, StageName.CLARIFY) is StageCondition.GOOD
        assert condition(app, StageName.TEST) is StageCondition.GOOD
        assert not app.query_one("#workspace").has_class("-asking")


async def test_keys_typed_before_a_question_appeared_do_not_answer_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(question, "GRACE_SECONDS", 0.4)
    clock = [0.0]
    async with opened(SamplePort()) as (app, pilot, heard):
        panel = app.query_one(QuestionPanel)
        monkeypatch.setattr(panel, "_clock", lambda: clock[0])
        await pilot.press("s")
        clock[0] = 0.3
        await pilot.press("1", "enter")
        assert heard.of(messages.Answered) == []
        clock[0] = 0.5
        await pilot.press("1")
        await settled(app, pilot)
        assert [message.question.id for message in heard.of(messages.Answered)] == ["boundary:rows"]


async def test_questions_can_be_skipped_gone_back_to_and_put_aside() -> None:
    async with opened(SamplePort()) as (app, pilot, _):
        panel = app.query_one(QuestionPanel)
        await pilot.press("right")
        assert panel.question == QUESTIONS[1]
        await pilot.press("left")
        assert panel.question == QUESTIONS[0]
        await pilot.press("escape")
        await settled(app, pilot)
        assert app.query_one(PolicyPane).has_focus
        assert not panel.display
        await pilot.press("f2")
        await settled(app, pilot)
        assert panel.display
        assert isinstance(app.focused, QuestionOptions)


async def test_an_assumption_can_be_answered_differently_and_taken_back() -> None:
    async with opened(SamplePort()) as (app, pilot, heard):
        await pilot.press("1")
        await settled(app, pilot)
        await pilot.press("1")
        await settled(app, pilot)
        rail = app.query_one(Rail)
        await pilot.press("f8")
        rail.select("assumption boundary:rows")
        await pilot.press("enter")
        await settled(app, pilot)
        assert app.query_one(QuestionPanel).question == QUESTIONS[1]
        await pilot.press("2")
        await settled(app, pilot)
        assert [message.value for message in heard.of(messages.Answered)] == ["same", "no", "yes"]
        assert "A hundred rows may be read." in words(rail)
        await pilot.press("f8")
        rail.select("assumption boundary:rows")
        await pilot.press("delete")
        await settled(app, pilot)
        assert [item.id for item in app.board.contents.open] == ["boundary:rows"]


async def test_news_of_an_earlier_focus_does_not_take_the_small_screen_away_from_the_pane_in_use() -> None:
    async with opened(SamplePort(), (80, 24)) as (app, pilot, _):
        await pilot.press("f8")
        app.query_one(Editor).post_message(events.DescendantFocus(app.query_one(Editor)))
        await settled(app, pilot)
        assert app.query_one(Rail).has_focus
        assert app.query_one(Rail).display
        assert not app.query_one(PolicyPane).display


async def test_undo_and_redo_go_through_answers() -> None:
    async with opened(SamplePort()) as (app, pilot, _):
        await pilot.press("1")
        await settled(app, pilot)
        assert len(app.board.contents.open) == 1
        await pilot.press("escape", "f4", "ctrl+z")
        await settled(app, pilot)
        assert len(app.board.contents.open) == 2
        await pilot.press("ctrl+y")
        await settled(app, pilot)
        assert len(app.board.contents.open) == 1


async def test_an_edit_is_checked_decided_tested_and_stored_by_itself() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, heard):
        await type_over(app, pilot, "rows > 100", "rows > 20")
        assert heard.of(messages.PolicyEdited)
        await settled(app, pilot)
        assert "store" in port.calls
        replayed = app.board.replayed
        flipped = [index for index in range(40) if replayed.flipped(index)]
        assert flipped
        assert all(replayed.decision(index).verdict is Verdict.DENY for index in flipped)
        await pilot.press("f6", "f")
        await settled(app, pilot)
        table = app.query_one(ReplayPane).table
        assert list(table.rows) == flipped
        assert "▲" in drawn(table)


async def test_a_text_outside_the_dialect_shows_its_problem_at_the_line_and_marks_the_rest_stale() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, heard):
        await type_over(app, pilot, "return rows > 100", "return open(rows)")
        await settled(app, pilot)
        line = POLICY[: POLICY.index("return rows > 100")].count("\n") + 1
        problems = heard.of(messages.Checked)[-1].problems
        assert line in [problem.line for problem in problems]
        assert f"line {line}" in drawn(app.query_one("#problems"))
        assert app.query_one(Editor).marks[line].sign == "✗"
        assert condition(app, StageName.DRAFT) is StageCondition.BAD
        assert condition(app, StageName.PROVE) is StageCondition.STALE
        assert "✓" not in drawn(app.query_one(ProofPane))
        assert all(state.policy == POLICY for state in [port.contents()])
        assert any(call.startswith("keep") for call in port.calls)


async def test_a_counterexample_is_shown_in_the_words_of_the_user() -> None:
    proof = Proof((*PROOF.clauses[:2], REFUTED))
    async with opened(SamplePort(ANSWERED, proof=proof, preview=proof)) as (app, pilot, heard):
        text = drawn(app.query_one(ProofPane))
        assert "✗ C3 R4  refuted" in text
        assert 'role     "nursing"' in text
        assert condition(app, StageName.PROVE) is StageCondition.BAD
        app.query_one(ProofPane).select("C3")
        await pilot.press("f5", "enter")
        await settled(app, pilot)
        wanted = heard.of(messages.LineWanted)[0].line
        assert POLICY.splitlines()[wanted - 1].lstrip().startswith("Ensures(Implies(rows > 100")
        assert app.query_one(Editor).cursor_location[0] == wanted - 1


class SlowProver(SamplePort):
    """A port whose prover waits until it is told to give up, the first time."""

    def __init__(self, contents: Contents) -> None:
        super().__init__(contents)
        self.given_up = 0
        self.started = threading.Event()

    def prove(
        self, terms: PolicyTerms, on_clause: Callable[[ClauseProof], None], cancelled: threading.Event
    ) -> Proof:
        if not self.started.is_set():
            on_clause(replace(PROOF.clauses[0], status=ProofStatus.REFUTED))
            self.started.set()
            cancelled.wait()
            self.given_up += 1
            on_clause(replace(PROOF.clauses[0], status=ProofStatus.REFUTED))
        return super().prove(terms, on_clause, cancelled)


async def test_stale_work_is_given_up_and_what_it_still_says_is_dropped() -> None:
    port = SlowProver(ANSWERED)
    app = WorkbenchApp(port)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(app, pilot, port.started.is_set)
        await type_over(app, pilot, "rows > 100", "rows > 90")
        await settled(app, pilot)
        assert port.given_up == 1
        assert app.board.verdicts.proof == PROOF


async def test_quitting_while_a_proof_runs_ends_at_once_and_keeps_the_last_key() -> None:
    port = SlowProver(ANSWERED)
    app = WorkbenchApp(port)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(app, pilot, port.started.is_set)
        await pilot.press("f3", "x")
        await pilot.press("ctrl+q")
        await pilot.pause()
    assert port.given_up == 1
    assert port.calls[-1] == "close"
    assert f"keep {len(POLICY) + 1}" in port.calls


class BrokenPart(SamplePort):
    """A port with parts that fail, in the two ways in which parts fail."""

    def decide(self, terms: PolicyTerms, cancelled: threading.Event) -> Sequence[StepDecision]:
        del terms, cancelled
        raise WorkbenchError("The logs cannot be decided: disk full.")

    def prove(
        self, terms: PolicyTerms, on_clause: Callable[[ClauseProof], None], cancelled: threading.Event
    ) -> Proof:
        del terms, on_clause, cancelled
        raise KeyError("a defect")


class SlowUndo(SamplePort):
    """A port that takes changes back when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let = threading.Event()

    def undo(self) -> Contents | None:
        self.let.wait()
        return super().undo()


async def test_a_change_that_is_asked_for_during_another_waits_for_it() -> None:
    port = SlowUndo()
    async with opened(port) as (app, pilot, _heard):
        asked = len(app.board.contents.open)
        for _ in range(2):
            await pilot.press("1")
            await settled(app, pilot)
        assert len(app.board.contents.open) == asked - 2
        try:
            await pilot.press("ctrl+z", "ctrl+z")
        finally:
            port.let.set()
        await settled(app, pilot)
        assert len(app.board.contents.open) == asked


class LateSteps(SamplePort):
    """A port whose steps come after their first decisions."""

    def __init__(self) -> None:
        super().__init__(ANSWERED)
        self.released = threading.Event()

    def steps(self) -> tuple[Sequence[Step], int]:
        self.released.wait()
        return super().steps()


async def test_decisions_that_come_before_the_steps_wait_for_them() -> None:
    port = LateSteps()
    app = WorkbenchApp(port)
    heard = Heard()
    async with app.run_test(size=(200, 60), message_hook=heard) as pilot:
        try:
            await until(app, pilot, lambda: bool(heard.of(messages.Decided)))
            await pilot.pause()
            early = app.board.replayed.decisions
        finally:
            port.released.set()
        await settled(app, pilot)
        assert early == ()
        assert len(app.board.replayed.decisions) == len(app.board.replayed.steps) > 0
        assert app.board.replayed.counts[Verdict.DENY] > 0


async def test_a_part_that_fails_says_so_and_takes_nothing_with_it() -> None:
    async with opened(BrokenPart(ANSWERED)) as (app, pilot, heard):
        whys = [message.why for message in heard.of(messages.Failed)]
        assert "The logs cannot be decided: disk full." in whys
        assert any("KeyError" in why for why in whys)
        assert condition(app, StageName.PROVE) is StageCondition.BAD
        assert condition(app, StageName.TEST) is StageCondition.BAD
        await pilot.press("f3", "x")
        assert app.query_one(PolicyPane).text.startswith("x")


async def test_selecting_a_step_shows_its_rules_arguments_and_marked_log() -> None:
    async with opened(SamplePort(ANSWERED), WIDE) as (app, pilot, heard):
        await pilot.press("f6", "down")
        await settled(app, pilot)
        assert heard.of(messages.StepSelected)[-1].index == 1
        text = words(app.query_one(DetailsPane))
        for part in (
            "forbid_unreadable_column",
            '"nursing"',
            "from identity in agent_input line 1",
            "LoadDB",
        ):
            assert part in text


KEYS = {
    "f3": "policy",
    "f4": "cases",
    "f5": "proof",
    "f6": "replay",
    "f7": "details",
    "f8": "rail",
    "f2": "question",
}


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (60, 15)])
async def test_every_pane_can_be_reached_by_its_key_and_is_then_visible(size: tuple[int, int]) -> None:
    async with opened(SamplePort(), size) as (app, pilot, _):
        for key, pane in KEYS.items():
            await pilot.press(key)
            await settled(app, pilot)
            node = app.query_one(f"#{pane}")
            assert node.has_focus or node.has_focus_within, pane
            assert node.region.width > 5
            assert node.region.height > 3
            assert app.screen.region.contains_region(node.region)


async def test_zoom_gives_a_pane_the_screen_and_back() -> None:
    async with opened(SamplePort(ANSWERED), WIDE) as (app, pilot, _):
        before = app.query_one("#cases").region
        await pilot.press("f4", "f9")
        await pilot.pause()
        assert app.query_one("#cases").region.width == 200
        await pilot.press("f9")
        await pilot.pause()
        assert app.query_one("#cases").region == before


async def test_a_filter_that_hides_everything_says_so_and_can_be_cleared() -> None:
    async with opened(SamplePort(ANSWERED), WIDE) as (app, pilot, _):
        await pilot.press("f6", "slash", *"nowhere")
        await settled(app, pilot)
        assert "the filter nowhere hides all 40 steps" in drawn(app.query_one("#none"))
        await pilot.press("enter")
        await pilot.press(*["backspace"] * 7, *"is:deny rule:rows", "enter")
        await settled(app, pilot)
        table = app.query_one(ReplayPane).table
        decisions = app.board.replayed.decisions
        assert table.rows
        for row in table.rows:
            assert any("rows" in violation.rule for violation in decisions[row].decision.violations)
        await pilot.press("x")
        await settled(app, pilot)
        assert len(table.rows) == 40


async def test_help_is_about_the_focused_pane_and_lists_every_key() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("f6", "f1")
        await settled(app, pilot)
        text = " ".join(screen_text(app).split())
        assert "What the policy decides on each recorded step" in text
        assert "Only denied steps" in text
        await pilot.press("escape")
        await settled(app, pilot)
        assert app.query_one(ReplayPane).has_focus_within


async def test_themes_go_round() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        seen = [app.theme]
        for _ in range(5):
            await pilot.press("ctrl+t")
            await settled(app, pilot)
            seen.append(app.theme)
        assert seen == [
            "dark",
            "light",
            "high-contrast",
            "ansi-dark",
            "ansi-light",
            "dark",
        ]
