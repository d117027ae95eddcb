"""The whole way on a copy of a shipped session, with the real pipeline and the real verifier."""

from __future__ import annotations

import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.old_screen.screens import settled, until_settled, words
from workbench.app.proof import Proving
from workbench.app.workbench import Workbench
from workbench.model import Engine, ProofStatus, Verdict
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.live_session import LiveSession
from workbench.old_screen.screen_state import stages
from workbench.old_screen.state import StageCondition
from workbench.old_screen.widgets.editor import Editor
from workbench.old_screen.widgets.proof import ProofPane
from workbench.old_screen.widgets.question import QuestionOptions, QuestionPanel
from workbench.old_screen.widgets.rail import Rail

SHIPPED = Path(__file__).parents[2] / "sessions" / "hospital-access"
FORBIDDEN = "lab.labname"


@asynccontextmanager
async def opened(path: Path) -> AsyncGenerator[tuple[WorkbenchApp, Pilot[None]]]:
    """The screen on the session in a folder, after its first work is done."""
    app = WorkbenchApp(LiveSession(path))
    app.animation_level = "none"
    async with app.run_test(size=(160, 48)) as pilot:
        await settled(app, pilot)
        try:
            yield app, pilot
        finally:
            await pilot.press("ctrl+q")
            await pilot.pause()


def conditions(app: WorkbenchApp) -> set[StageCondition]:
    return {stage.condition for stage in stages(app.board)}


def no_prover(_proving: Proving) -> None:
    """Stands in for starting the prover where nothing is proved."""


@pytest.mark.nagini
async def test_answer_prove_break_see_the_counterexample_undo_quit_and_find_everything_again(
    tmp_path: Path,
) -> None:
    session = tmp_path / "hospital-access"
    shutil.copytree(SHIPPED, session, ignore=shutil.ignore_patterns(".workbench"))
    bench = Workbench.open(session)
    for assumption in bench.session.assumptions:
        bench.questions.retract(assumption.question)
    bench.close()

    async with opened(session) as (app, pilot):
        asked = app.query_one(QuestionPanel).question
        assert asked is not None
        assert isinstance(app.focused, QuestionOptions)
        while app.board.contents.open:
            before = len(app.board.contents.open)
            await pilot.pause(0.5)
            await pilot.press("1")
            await until_settled(app, pilot, lambda before=before: len(app.board.contents.open) < before)
        await until_settled(app, pilot, lambda: conditions(app) == {StageCondition.GOOD})
        assert app.board.verdicts.proof.status is ProofStatus.PROVED
        assert {clause.engine for clause in app.board.verdicts.proof.clauses} == {Engine.NAGINI}
        assert words(app.query_one(ProofPane)).count("proved (Nagini)") == 3
        good = app.query_one(Editor).text

        editor = app.query_one(Editor)
        await pilot.press("f3")
        line = next(number for number, text in enumerate(good.splitlines()) if '"cost.cost"' in text)
        editor.move_cursor((line, good.splitlines()[line].index('"cost.cost"')))
        editor.insert(f'"{FORBIDDEN}", ')
        await until_settled(app, pilot, lambda: app.board.verdicts.proof.status is ProofStatus.REFUTED)
        refuted = [
            clause for clause in app.board.verdicts.proof.clauses if clause.status is ProofStatus.REFUTED
        ]
        assert [clause.requirements for clause in refuted] == [("R3",)]
        example = refuted[0].counterexample
        assert example is not None
        assert example.confirmed
        assert example.arguments == {"role": "general administration", "columns": frozenset({FORBIDDEN})}
        assert example.decision is Verdict.ALLOW
        shown = words(app.query_one(ProofPane))
        assert 'role "general administration"' in shown
        assert f'columns {{"{FORBIDDEN}"}}' in shown
        assert app.board.tests.failed > 0

        await pilot.press("ctrl+z")
        await until_settled(app, pilot, lambda: conditions(app) == {StageCondition.GOOD})
        assert editor.text == good
        await pilot.press("ctrl+end", "enter", "#", "x")

    async with opened(session) as (app, pilot):
        await until_settled(app, pilot, lambda: conditions(app) == {StageCondition.GOOD})
        assert app.query_one(Editor).text == good + "\n#x"
        assert [item.question for item in app.board.contents.assumptions] == [asked.id]
        assert "Edit the policy" in words(app.query_one(Rail))
        # What was typed is one step to undo or several: a pause between two keys begins another.
        while (before := app.query_one(Editor).text) != good:
            await pilot.press("f4", "ctrl+z")
            await until_settled(app, pilot, lambda before=before: app.query_one(Editor).text != before)


async def test_an_edit_outside_the_dialect_survives_quitting_and_is_announced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Proving, "start", no_prover)
    session = tmp_path / "hospital-access"
    shutil.copytree(SHIPPED, session, ignore=shutil.ignore_patterns(".workbench"))
    stored = (session / "policy.py").read_text(encoding="utf-8")
    async with opened(session) as (app, pilot):
        await pilot.press("f3", "ctrl+home", *"import")
    assert (session / "policy.py").read_text(encoding="utf-8") == stored
    async with opened(session) as (app, pilot):
        assert app.query_one(Editor).text == "import" + stored
        assert "Unsaved edits were kept: policy.py" in app.board.contents.notice
        assert app.board.problems
        await pilot.press("f4", "ctrl+z")
        await until_settled(app, pilot, lambda: app.query_one(Editor).text == stored)
