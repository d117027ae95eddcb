"""A session's page: it shows the findings, and no text of the session becomes markup."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from workbench.app.owed import Owed, OwedKind
from workbench.app.page import SessionPage, code_fence, render_html, render_markdown
from workbench.app.report import Report
from workbench.check.evidence import Evidence, evidence
from workbench.clean_text import is_clean
from workbench.cli.report_text import report_lines, summary_line
from workbench.model import (
    Assumption,
    CaseResult,
    ClauseProof,
    Counterexample,
    Engine,
    ImportProblem,
    MadeBy,
    Option,
    Proof,
    ProofStatus,
    Question,
    Requirement,
    Span,
    Verdict,
)
from workbench.runs.replay.summary import ReplaySummary
from workbench.serialization.nouns import json_of
from workbench.session import Session

HOSTILE = (
    "<script>alert(1)</script>",
    "</pre><img src=x onerror=alert(1)>",
    '" onload="alert(1)',
    "{{ 7 * 7 }}{% for x in y %}",
    "```\n# not a heading\n[link](javascript:alert(1))",
    "`|` <b>bold</b>",
)
POLICY = (
    Session.open(Path(__file__).parents[3] / "sessions" / "web-shopping", read_only=True).evaluated().terms
)


def page(text: str) -> SessionPage:
    """A page on which every outside text is ``text``."""
    span = Span(0, 1)
    question = Question("q:" + text, "kind", text, text, span, (Option("a", text, text, text),), "a")
    assumption = Assumption("A1", question.id, "a", text, "2026-01-01T00:00:00+00:00", made_by=MadeBy.DEFAULT)
    counterexample = Counterexample({"name": text}, confirmed=True, decision=Verdict.ALLOW)
    proof = Proof((ClauseProof("C1", ("R1",), ProofStatus.REFUTED, Engine.NAGINI, counterexample, text),))
    report = Report(
        Path("session"),
        (question,),
        ((question, assumption),),
        (),
        (CaseResult("case", False, None, text),),
        proof,
        ReplaySummary(3, 1, 0, 1, 1, {text: 1}),
    )
    requirement = Requirement("R1", text, text, span)
    matrix: Evidence = evidence(POLICY, requirements=(requirement,), proofs=(proof,))
    return SessionPage(text, text, (), (requirement,), text, report, matrix)


class Tags(HTMLParser):
    """Collects the elements of a page with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Store the elements that a browser would build."""
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name in ("href", "src", "action")}
        self.places |= {value or "" for name, value in attrs if name == "id"}


@pytest.mark.parametrize("text", HOSTILE)
def test_no_outside_text_becomes_an_element_or_an_attribute_of_the_html(text: str) -> None:
    tags = Tags()
    html = render_html(page(text))
    tags.feed(html)
    assert not tags.names & {"script", "img", "b", "iframe", "link", "object"}
    assert {"#" + place for place in tags.places} == tags.links, "a link leads out of the page, or nowhere"
    assert not {name for name in tags.attributes if name.startswith("on")}
    assert "49" not in html.replace("149", "")


@pytest.mark.parametrize("text", HOSTILE)
def test_outside_text_stays_in_code_of_the_markdown(text: str) -> None:
    outside = True
    fence = ""
    for line in render_markdown(page(text)).splitlines():
        if line.startswith("```") and (not fence or line.startswith(fence)):
            fence = "" if fence else line[: len(line) - len(line.lstrip("`"))]
            outside = not fence
            continue
        if outside:
            plain = "".join(part for index, part in enumerate(line.split("`")) if index % 2 == 0)
            assert not any(mark in plain for mark in ("<script", "<img", "](", "<b>", "# not")), line


@pytest.mark.parametrize("text", ["", "a", "``", "```", "``````\n```"])
def test_a_fence_is_longer_than_any_run_of_backticks_in_it(text: str) -> None:
    lines = code_fence(text).splitlines()
    assert lines[0] == lines[-1]
    assert lines[0] not in text.splitlines()
    assert "\n".join(lines[1:-1]) == text.rstrip()


def test_the_page_leads_with_the_verdict_and_shows_defaults_counterexamples_and_plots() -> None:
    html = render_html(page("plain"))
    assert html.index("Proof") < html.index('id="request"')
    assert "Taken by default, not answered by a person" in html
    assert "name = &#34;plain&#34;" in html
    assert html.count("<svg") == 2
    assert "default-src 'none'" in html


def test_a_vacuous_clause_says_why_on_the_page() -> None:
    session_page = page("text")
    why = "its left side never happens"
    proof = Proof((ClauseProof("C1", ("R1",), ProofStatus.VACUOUS, Engine.NAGINI, why=why),))
    rows = evidence(POLICY, proofs=(proof,))
    session_page = replace(session_page, report=replace(session_page.report, proof=proof), evidence=rows)
    for text in (render_html(session_page), render_markdown(session_page)):
        assert "vacuous, 0 of 1 clauses" in text
        assert text.count(why) == 1


def test_a_rule_that_waits_for_its_clause_is_not_all_good() -> None:
    proved = Proof((ClauseProof("C1", ("R1",), ProofStatus.PROVED, Engine.NAGINI),))
    good = Report(Path("session"), (), (), (), (), proved, ReplaySummary(1, 1, 0, 0, 0, {}))
    waiting = replace(
        good, owed=(Owed(OwedKind.REQUIREMENT, "R2", "No minors.", "no clause names R2", "write one"),)
    )
    assert (good.exit_code, waiting.exit_code) == (0, 1)
    assert "there are no cases" in summary_line(good)
    assert json.loads(json.dumps(json_of(waiting)))["owed"][0]["name"] == "R2"
    assert "Not yet: 1 thing not in force." in summary_line(waiting)
    assert "Accepted by name: 1 thing not in force." in summary_line(waiting, accepted=True)
    assert any("R2" in line and "No minors." in line for line in report_lines(waiting))


def test_records_of_the_logs_that_were_not_read_are_counted() -> None:
    proved = Proof((ClauseProof("C1", ("R1",), ProofStatus.PROVED, Engine.NAGINI),))
    unread = (ImportProblem("log", 1, "2 items of the unknown kind 'x'", 2), ImportProblem("log", 3, "cut"))
    report = Report(Path("session"), (), (), (), (), proved, ReplaySummary(1, 1, 0, 0, 0, {}), unread)
    assert any("3 records could not be read" in line for line in report_lines(report))
    assert json.loads(json.dumps(json_of(report)))["replay"]["problems"][0]["count"] == 2


@pytest.mark.parametrize("render", [render_html, render_markdown])
def test_text_of_the_session_reaches_no_terminal_as_it_is(render: Callable[[SessionPage], str]) -> None:
    assert is_clean(render(page("\x1b]0;title\x07 \x9b31m \u202e")))
