"""Everything else that says whether a session is good, compared with its check."""

from __future__ import annotations

import contextlib
import io

from tests.app.stateful.judging import Judge
from workbench.app.owed import Owed, not_in_force
from workbench.app.page import render_html, render_markdown
from workbench.app.report import Report
from workbench.cli import main
from workbench.model import ProofStatus, WorkbenchError
from workbench.tui.screen_places import ViewName
from workbench.tui.widgets.status_line import status_line

WIDE = 1000
NOT_IN_FORCE = "Not in force"


def judge_others(judge: Judge, *, by_command: bool) -> None:
    """Raise Disagreement if questions, page, the screen's first line or a command contradict the check.

    ``by_command`` says that commands can read the session in its folder.
    """
    report = judge.report
    if report is None:
        return
    missing = not_in_force(report.owed)
    _judge_questions(judge, report, missing)
    _judge_page(judge, report, missing)
    _judge_first_line(judge, report, missing)
    if by_command and not judge.bench.session.differing:
        _judge_commands(judge, report, missing)


def _judge_questions(judge: Judge, report: Report, missing: tuple[Owed, ...]) -> None:
    understanding = judge.bench.in_force.understand()
    if understanding.owed != report.owed:
        judge.fail("check and questions disagree about what is in force")
    if understanding.settled == bool(report.open or missing):
        judge.fail("the questions are settled otherwise than the check says")


def _judge_page(judge: Judge, report: Report, missing: tuple[Owed, ...]) -> None:
    page = judge.bench.page()
    if page.report.exit_code != report.exit_code:
        judge.fail("the page is good otherwise than the check")
    for words in (render_html(page), render_markdown(page)):
        if (NOT_IN_FORCE in words) != bool(missing):
            judge.fail("the page says otherwise than the check whether something is not in force")
        if f"{len(report.open)} open" not in words:
            judge.fail("the page has other open questions than the check")


def _judge_first_line(judge: Judge, report: Report, missing: tuple[Owed, ...]) -> None:
    try:
        state = judge.bench.judged_state()
    except WorkbenchError as error:
        judge.fail(f"the check reports and the screen has no decisions: {error}")
    words = "".join(run.text for run in status_line(state, ViewName.AUTHOR, WIDE))
    if ("not in force" in words) != bool(missing):
        judge.fail("the first line says otherwise than the check whether something is not in force")
    if ("question" in words) != bool(report.open):
        judge.fail("the first line says otherwise than the check whether a question is open")
    if ("refuted" in words or "provisional" in words) < _refuted(report):
        judge.fail("the first line passes over a refuted clause")


def _refuted(report: Report) -> bool:
    return any(clause.status is ProofStatus.REFUTED for clause in report.proof.clauses)


def _judge_commands(judge: Judge, report: Report, missing: tuple[Owed, ...]) -> None:
    folder = str(report.session)
    code, words = _run("ask", folder)
    if (code == 0) == bool(report.open or missing):
        judge.fail(f"'workbench ask' ends with {code}")
    if (NOT_IN_FORCE in words) != bool(missing):
        judge.fail("'workbench ask' says otherwise than the check whether something is not in force")
    code, words = _run("evidence", folder)
    if code == 0 and (missing or report.problems or report.proof.status is not ProofStatus.PROVED):
        judge.fail("'workbench evidence' ends with 0, and the check does not")
    if not report.problems and (NOT_IN_FORCE in words) != bool(missing):
        judge.fail("'workbench evidence' says otherwise than the check whether something is not in force")


def _run(*words: str) -> tuple[int, str]:
    """The exit code of a command and what it prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        code = main(words)
    return code, said.getvalue()
