"""What is written about questions, clauses, cases and steps, each thing on a line of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.check.verdict_words import verdict_words
from workbench.clean_text import one_line
from workbench.cli.report_text import arguments_text, counted
from workbench.model import (
    Case,
    CaseResult,
    ClauseProof,
    Extracted,
    MadeBy,
    Provenance,
    Question,
    Step,
    StepDecision,
)
from workbench.old_screen.screen_state import ScreenState, stages
from workbench.old_screen.state import Contents, Evidence, Explained, StageName
from workbench.old_screen.value_text import value_text
from workbench.policy.terms import PolicyTerms

ANSWERED = {MadeBy.DEFAULT: "default", MadeBy.HUMAN: "answered"}
_QUOTED = 120


def status_line(board: ScreenState) -> str:
    """How each stage of the pipeline stands, on one line."""
    unread = StageName.REPLAY if board.loaded and not board.replayed.steps else None
    parts = [
        f"{stage.name} {'not read yet' if stage.name is unread else stage.text or stage.condition}"
        for stage in stages(board)
    ]
    return f"{board.contents.name}: {', '.join(parts)}."


def question_list(contents: Contents) -> Iterator[str]:
    """All questions, numbered, with the answers so far."""
    for number, question in enumerate(contents.questions, start=1):
        made = contents.assumption(question.id)
        state = "open" if made is None else ANSWERED[made.made_by]
        said = f" Assumed: {one_line(made.statement)}" if made else ""
        yield f"{number}. {state}. {one_line(question.text)}{said}"


def question_lines(question: Question, number: int, total: int) -> Iterator[str]:
    """One question with its numbered options."""
    yield f"Question {number} of {total}: {one_line(question.text)}"
    if question.quote:
        yield f'Line {question.span.line} of the request: "{one_line(question.quote)}"'
    if question.example is not None:
        yield f"The readings differ on: {arguments_text(question.shown)}"
    for place, option in enumerate(question.options, start=1):
        default = ", the safe default" if option.value == question.default else ""
        effect = f" {one_line(option.effect)}" if option.effect else ""
        yield f"{place}. {one_line(option.label)}{default}.{effect}"
    if not question.default:
        yield "It has no safe default: a person has to answer it."


def policy_lines(board: ScreenState, first: int, last: int) -> Iterator[str]:
    """The policy's lines with their numbers, and under each what is wrong there or what is known of it."""
    notes: dict[int, list[str]] = {}
    for problem in board.problems:
        notes.setdefault(problem.line, []).append(f"problem: {problem.what} {problem.instead}".rstrip())
    if board.verdicts.terms is not None and not board.verdicts.stale:
        for line, note in _known(board, board.verdicts.terms):
            notes.setdefault(line, []).append(note)
    yield from (f"-- {one_line(note)}" for note in notes.pop(0, ()))
    for number, text in enumerate(board.contents.policy.splitlines(), start=1):
        if first <= number <= last:
            yield f"{number} {text}".rstrip()
            yield from (f"-- {one_line(note)}" for note in notes.get(number, ()))


def _known(board: ScreenState, terms: PolicyTerms) -> Iterator[tuple[int, str]]:
    """What is known of a clause or a rule, with its line."""
    for clause in terms.clauses:
        found = board.verdicts.of(clause.id)
        if found is not None:
            yield clause.line, f"{clause.id}: {verdict_words(found)}"
    if board.replayed.decisions and not board.replayed.stale:
        for rule in terms.rules:
            yield rule.line, f"fired {counted(board.replayed.fired.get(rule.name, 0), 'time')} in the logs"


def clause_lines(found: ClauseProof, terms: PolicyTerms) -> Iterator[str]:
    """The verdict on a clause with its counterexample."""
    clause = next((item for item in terms.clauses if item.id == found.clause), None)
    place = f", line {clause.line}" if clause else ""
    yield f"{found.clause} ({', '.join(map(one_line, found.requirements))}{place}): {verdict_words(found)}."
    if found.why:
        yield f"-- {one_line(found.why)}"
    example = found.counterexample
    if example is not None:
        sure = "confirmed by running the policy" if example.confirmed else "not confirmed"
        yield f"-- counterexample, {sure}: {arguments_text(example.shown) or 'any arguments'}"
        if example.left_out and example.shown:
            yield f"-- it does not rest on: {one_line(', '.join(example.left_out))}"
        yield from (
            f"-- {one_line(rule.rule)} {'fired' if rule.fired else 'did not fire'}" for rule in example.path
        )


def case_line(number: int, case: Case, result: CaseResult | None) -> str:
    """One case with its result, if it ran."""
    if result is None:
        state = "not run"
    else:
        state = "passed" if result.passed else f"FAILED, got {result.got or 'no decision'}"
    expected = f"expected {case.expected}"
    return f"{number}. {state}. {expected}: {arguments_text(case.arguments)}. {one_line(case.reason)}"


def step_line(number: int, step: Step, decided: StepDecision, *, flipped: bool) -> str:
    """One step on one line: its number, decision, place, and why."""
    decision = decided.decision
    why = "; ".join(
        violation.message + (f" ({', '.join(violation.items)})" if violation.items else "")
        for violation in decision.violations
    ) or "; ".join(decision.reasons)
    mark = ", flipped" if flipped else ""
    place = f"{one_line(step.run)} call {step.index}, {one_line(step.tool or 'unknown tool')}"
    return f"{number}. {decision.verdict}{mark}. {place}. {one_line(why)}".rstrip(" .") + "."


def step_lines(step: Step, decided: StepDecision) -> Iterator[str]:
    """The arguments of a decision, each with the characters of the log that it came from."""
    for name, value in decided.decision.arguments.items():
        yield f"{name} = {one_line(value_text(value))}"
        found = decided.extracted.get(name, Extracted())
        if found.missing is not None:
            yield f"-- missing: {one_line(found.missing)}"
        yield from _places(step, found.provenance)


def _places(step: Step, provenance: Sequence[Provenance]) -> Iterator[str]:
    for source in provenance:
        if source.call not in (None, step.index):
            yield f"-- from {source.text} of call {source.call} ({source.method})"
            continue
        text = step.texts.get(source.text, "")
        for span in source.spans:
            quote = one_line(text[span.start : min(span.end, span.start + _QUOTED)])
            yield f'-- from {one_line(source.text)}, line {span.line} ({source.method}): "{quote}"'
        if not source.spans:
            yield f"-- from {source.method}"


def explained_lines(found: Explained) -> Iterator[str]:
    """Why a step was decided so, and what would turn the decision."""
    yield one_line(found.reason)
    for rule in found.path:
        if rule.fired:
            yield f"rule {one_line(rule.rule)} fired"
            yield from (f"-- {'yes' if holds else 'no'}: {one_line(text)}" for text, holds in rule.conditions)
    for words, text in (
        ("Smallest change", found.turn),
        ("Nearest step decided otherwise", found.nearest),
        ("For the agent", found.message),
    ):
        if text:
            yield f"{words}: {one_line(text)}"


def evidence_lines(found: Evidence) -> Iterator[str]:
    """What speaks for every clause, and what is missing."""
    yield f"{found.killed} of {found.killable} wrong versions of the policy are refused by the contract."
    for row in found.rows:
        parts = [
            counted(row.cases, "case"),
            "not measured" if row.killed is None else f"refuses {row.killed}",
            "no logs" if row.steps is None else counted(row.steps, "log step"),
        ]
        parts += ["vacuous"] if row.vacuous else []
        parts += ["the engines disagree"] if row.disagree else []
        yield f"{row.clause}: {', '.join(parts)}. {one_line(row.sentence)}"
    for survivor in found.survivors:
        yield f"Not refused, line {survivor.line}: {one_line(survivor.what)}"
    yield from (one_line(text) for text in found.missing)
