"""Everything else that says whether a session is good, compared with its check."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Collection, Hashable
from enum import StrEnum

from tests.app.stateful.moment import Moment
from workbench.app.owed import Owed, OwedKind, not_asked, not_in_force
from workbench.app.page import render_html, render_markdown
from workbench.app.report import Report
from workbench.cli import main
from workbench.model import ProofStatus, WorkbenchError
from workbench.tui.messages import ViewName
from workbench.tui.widgets.status_line import status_line

WIDE = 1000
NOT_IN_FORCE = "Not in force"


class Part(StrEnum):
    """What else says whether a session is good."""

    QUESTIONS = "questions"
    PAGE = "page"
    SCREEN = "screen"
    ASK = "ask"
    EVIDENCE = "evidence"


def consult[C: Hashable](now: Moment[C], parts: Collection[Part]) -> None:
    """Raise Disagreement if one of these parts contradicts the check."""
    report = now.report
    if report is None:
        return
    missing = not_in_force(report.owed)
    if Part.QUESTIONS in parts:
        _judge_questions(now, report, missing)
    if Part.PAGE in parts:
        _judge_page(now, report, missing)
    if Part.SCREEN in parts:
        _judge_screen(now, report, missing)
    if now.bench.session.differing:
        return
    if Part.ASK in parts:
        _judge_ask(now, report, missing)
    if Part.EVIDENCE in parts:
        _judge_evidence(now, report, missing)


def _judge_questions[C: Hashable](now: Moment[C], report: Report, missing: tuple[Owed, ...]) -> None:
    understanding = now.bench.in_force.understand()
    if understanding.owed != report.owed:
        now.fail("check and questions disagree about what is in force")
    if understanding.settled == bool(report.open or missing):
        now.fail("the questions are settled otherwise than the check says")


def _judge_page[C: Hashable](now: Moment[C], report: Report, missing: tuple[Owed, ...]) -> None:
    page = now.bench.page()
    if page.report.exit_code != report.exit_code:
        now.fail("the page is good otherwise than the check")
    for words in (render_html(page), render_markdown(page)):
        if (NOT_IN_FORCE in words) != bool(missing):
            now.fail("the page says otherwise than the check whether something is not in force")
        if f"{len(report.open)} open" not in words:
            now.fail("the page has other open questions than the check")


def _judge_screen[C: Hashable](now: Moment[C], report: Report, missing: tuple[Owed, ...]) -> None:
    bench = now.bench
    try:
        state = bench.judged_state()
    except WorkbenchError as error:
        now.fail(f"the check reports and the screen has no state: {error}")
    if [question.id for question in state.open] != [question.id for question in report.open]:
        now.fail("check and screen have other open questions")
    if state.owed != report.owed:
        now.fail("check and screen disagree about what is in force")
    kept = bench.editing.kept_edit  # the screen shows it, and it is none of the session's files
    if bool(state.problems) != bool(report.problems if kept is None else bench.policy.problems(kept)):
        now.fail("check and screen have other problems of the policy")
    words = "".join(run.text for run in status_line(state, ViewName.AUTHOR, WIDE))
    lost = [item for item in missing if item.kind is not OwedKind.NARROWING]  # that has a line of its own
    if ("not in force" in words) != bool(not_asked(lost, report.open)):
        now.fail("the first line says otherwise than the check whether something is not in force")
    if ("question" in words) != bool(report.open):
        now.fail("the first line says otherwise than the check whether a question is open")
    if ("refuted" in words or "provisional" in words) < _refuted(report):
        now.fail("the first line passes over a refuted clause")


def _refuted(report: Report) -> bool:
    return any(clause.status is ProofStatus.REFUTED for clause in report.proof.clauses)


def _judge_ask[C: Hashable](now: Moment[C], report: Report, missing: tuple[Owed, ...]) -> None:
    code, words = _run("ask", str(report.session))
    if report.problems:  # nothing can be asked about a policy that is none
        if code != 2:
            now.fail(f"'workbench ask' ends with {code}, and the policy has problems")
        return
    if (code == 0) == bool(report.open or missing):
        now.fail(f"'workbench ask' ends with {code}")
    if (NOT_IN_FORCE.lower() in words.lower()) != bool(not_asked(missing, report.open)):
        now.fail("'workbench ask' says otherwise than the check whether something is not in force")


def _judge_evidence[C: Hashable](now: Moment[C], report: Report, missing: tuple[Owed, ...]) -> None:
    code, words = _run("evidence", str(report.session))
    if code == 0 and (missing or report.problems or report.proof.status is not ProofStatus.PROVED):
        now.fail("'workbench evidence' ends with 0, and the check does not")
    if not report.problems and (NOT_IN_FORCE in words) != bool(missing):
        now.fail("'workbench evidence' says otherwise than the check whether something is not in force")


def _run(*words: str) -> tuple[int, str]:
    """The exit code of a command and what it prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        code = main(words)
    return code, said.getvalue()
