"""The text for people on the command line: lines of plain text, coloured only on a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.results import SHOWN_CALLS
from workbench.app.value_texts import OWN_NAMES, ArgumentWords, run_words, undetermined_words
from workbench.clean_text import clean, counted, in_a_row, one_line
from workbench.cli.output import paint
from workbench.model import (
    Arguments,
    Assumption,
    CallDecision,
    Case,
    CaseResult,
    ClauseProof,
    Counterexample,
    Option,
    PathRule,
    Proof,
    ProofStatus,
    Question,
    Verdict,
)
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.acceptance import Accepted
    from workbench.app.doctor import Diagnosis
    from workbench.app.owed import Owed
    from workbench.app.report import ReplaySummary, Report

STATUS_TONE = {
    ProofStatus.REFUTED: Tone.BAD,
    ProofStatus.POSSIBLE: Tone.WARN,
    ProofStatus.UNKNOWN: Tone.WARN,
    ProofStatus.VACUOUS: Tone.WARN,
    ProofStatus.PROVED: Tone.GOOD,
}
_MOST_NEAR = 5
_MOST_OPTIONS = 5
VERDICT_TONE = {
    Verdict.ALLOW: Tone.GOOD,
    Verdict.ASK: Tone.ACCENT,
    Verdict.DENY: Tone.BAD,
    Verdict.CANNOT_EVALUATE: Tone.WARN,
}


def arguments_text(arguments: Arguments, words: ArgumentWords = OWN_NAMES) -> str:
    """Arguments in the user's words: ``role = "nursing", reservation.cabin = "business"``."""
    from workbench.app.value_texts import arguments_words

    return one_line(arguments_words(words.shown(arguments)))


def report_lines(
    report: Report, words: ArgumentWords = OWN_NAMES, *, accepted: bool = False
) -> Iterator[str]:
    """The whole report of a check, ending with one line that sums it up.

    ``accepted`` is whether a person has accepted it with what is open.
    """
    yield paint(str(report.session), Tone.TITLE)
    for question in report.open:
        yield ""
        yield from question_lines(question, report.session)
    if report.answered:
        yield ""
        yield from answered_lines(report.answered)
    yield ""
    yield from not_in_force_lines(report.owed, report.open)
    if report.problems:
        yield paint("The policy is not in the dialect:", Tone.BAD)
        yield from (f"  {one_line(str(problem))}" for problem in report.problems)
    else:
        yield from case_lines(report.cases, words=words)
        yield from proof_lines(report.proof, words)
        if report.theorems:
            from workbench.cli.theorem_text import theorem_lines

            yield from theorem_lines(report.theorems)
        yield from figures_lines(report.replay, sum(problem.count for problem in report.unreadable))
    if report.guarded:
        yield paint("Guards", Tone.WARN) + f"      {one_line(report.guarded)}"
    yield ""
    yield summary_line(report, accepted=accepted)


def not_in_force_lines(owed: Iterable[Owed], asked: Iterable[Question] = ()) -> Iterator[str]:
    """Each thing that is owed and not in force, with the reason and the act that mends it.

    What is among the questions that are ``asked`` is said there.
    """
    from workbench.app.owed import not_asked, not_in_force

    for item in not_asked(not_in_force(owed), asked):
        yield paint(f"Not in force  {item.kind} {one_line(item.name)}: {one_line(item.statement)}", Tone.BAD)
        yield f"  {one_line(item.reason)}"
        yield f"  to mend it: {one_line(item.mend)}"


def accepted_lines(accepted: Accepted, words: str) -> Iterator[str]:
    """Whether a version was accepted, its words, and what is missing where it was not."""
    if accepted.done:
        yield paint(f"Accepted: guards enforce this version ({one_line(words)}).", Tone.GOOD)
        return
    yield paint("Not accepted; guards enforce what they did before. Missing:", Tone.BAD)
    for obstacle in accepted.missing:
        by_name = f"; to accept it anyway: --anyway {shlex.quote(obstacle.name)}" if obstacle.by_name else ""
        yield f"  {one_line(obstacle.sentence + by_name)}"


def summary_line(report: Report, *, accepted: bool = False) -> str:
    """One line: all good, and whether guards enforce it, or what is wrong or open.

    What a person has ``accepted`` by name is said to be accepted.
    """
    from workbench.app.owed import not_asked, not_in_force

    failed = sum(not result.passed for result in report.cases)
    faults = [counted(len(report.open), "open question")] if report.open else []
    faults += [counted(len(report.problems), "problem") + " in the policy"] if report.problems else []
    missing = not_asked(not_in_force(report.owed), report.open)
    faults += [counted(len(missing), "thing") + " not in force"] if missing else []
    faults += [counted(failed, "failing case")] if failed else []
    if not report.problems and report.proof.status is not ProofStatus.PROVED:
        faults.append(f"the proof is {report.proof.status}")
    faults += [counted(len(report.unproved), "theorem") + " not proved"] if report.unproved else []
    if faults and accepted:
        return paint(f"Accepted by name: {', '.join(faults)}.", Tone.WARN)
    if faults:
        return paint(f"Not yet: {', '.join(faults)}.", Tone.BAD)
    proved = "every clause and theorem is" if report.theorems else "every clause is"
    cases = "every case passes" if report.cases else "there are no cases"
    good = paint(f"All good: nothing open, {cases}, {proved} proved.", Tone.GOOD)
    return f"{good} {paint(f'But {report.guarding}: see above.', Tone.WARN)}" if report.guarding else good


def shown_options(question: Question, *, everything: bool = False) -> tuple[Sequence[Option], str]:
    """The options of a question, its default first, and how to see those beyond the first few."""
    options = sorted(question.options, key=lambda option: option.value != question.default)
    hidden = 0 if everything else len(options) - _MOST_OPTIONS
    if hidden <= 0:
        return options, ""
    return options[:_MOST_OPTIONS], f"and {counted(hidden, 'more answer')}; ask --all lists them"


def question_lines(question: Question, session: Path, *, everything: bool = False) -> Iterator[str]:
    """An open question, its quote, the options with their effects, and how to answer it."""
    yield paint(f"Open  {question.id}", Tone.WARN)
    yield f"  {one_line(question.text)}"
    if question.quote:
        yield f'  line {question.span.line}: "{one_line(question.quote)}"'
    if question.example is not None and not question.id.startswith(SHOWN_CALLS):
        yield f"  they differ on: {arguments_text(question.shown)}"
    options, more = shown_options(question, everything=everything)
    for option in options:
        mark = " (default)" if option.value == question.default else ""
        yield f"  - {one_line(option.value)}{mark}: {one_line(option.label)}"
        if option.effect:
            yield f"      {one_line(option.effect)}"
    if more:
        yield f"  {more}"
    if not question.default:
        yield "  It has no safe default: a person has to answer it."
    yield from _ways_to_answer(question, session)


def _ways_to_answer(question: Question, session: Path) -> Iterator[str]:
    """The commands that answer a question of a session."""
    command = ["workbench", "answer", str(session), question.id]
    yield f"  answer: {one_line(shlex.join(command))} VALUE"
    if question.free_text:
        from workbench.question_wording import own_answer

        words = 'the sentence in your own words, in quotes: "Members may ..."'
        yield f"  VALUE may also be {own_answer(question.kind) or words}"


def answered_lines(answered: Sequence[tuple[Question, Assumption]]) -> Iterator[str]:
    """The answered questions, each with its assumption and who made it."""
    if answered:
        yield f"Questions   {len(answered)} answered"
    for question, assumption in answered:
        by = " (by default, by no person)" if assumption.made_by == "default" else ""
        yield f"  {one_line(question.id)}{by}: {one_line(assumption.statement)}"
        if assumption.why:
            yield f"    {one_line(assumption.why)}"


def case_lines(
    results: Sequence[CaseResult], cases: Sequence[Case] = (), words: ArgumentWords = OWN_NAMES
) -> Iterator[str]:
    """The number of cases that passed, and each failing case with its reason where the cases are given."""
    failed = [result for result in results if not result.passed]
    passed_words = f"{len(results) - len(failed)} passed"
    yield "Cases       " + (
        f"{passed_words}, " + paint(f"{len(failed)} failed", Tone.BAD) if failed else passed_words
    )
    case_by_id = {case.id: case for case in cases}
    for result in failed:
        got = result.actual or "no decision"
        detail = one_line(result.detail)
        case = case_by_id.get(result.case)
        if case is None:
            yield f"  {paint('FAILED', Tone.BAD)}  {one_line(result.case)}: got {got}. {detail}".rstrip()
            continue
        yield f"  {paint('FAILED', Tone.BAD)}  {one_line(result.case)}: expected {case.expected}, got {got}."
        yield f"          {arguments_text(case.arguments, words)}"
        yield f"          {one_line(case.reason)}"
        if result.actual is None and detail:
            yield f"          {detail}"
    origins = [case_by_id[result.case].origin for result in failed if result.case in case_by_id]
    if "generated" in origins:
        yield "  Cases of earlier rules are made anew by `workbench cases SESSION --generate`."
    if origins:
        yield "  A case takes the new decision by `workbench cases SESSION --case ID --expect DECISION`."


def proof_lines(proof: Proof, words: ArgumentWords = OWN_NAMES) -> Iterator[str]:
    """The status of the proof and the verdict on every clause, with its counterexample."""
    proved = sum(clause.status is ProofStatus.PROVED for clause in proof.clauses)
    status = paint(proof.status, STATUS_TONE[proof.status])
    yield f"Proof       {status}, {proved} of {counted(len(proof.clauses), 'clause')}"
    if proof.why:
        yield f"  {one_line(proof.why)}"
    width = max((len(", ".join(clause.requirements)) for clause in proof.clauses), default=0)
    for clause in proof.clauses:
        yield from clause_lines(clause, min(width, 30), words)


def clause_lines(clause: ClauseProof, width: int = 0, words: ArgumentWords = OWN_NAMES) -> Iterator[str]:
    """The verdict on one clause, its requirements padded to a width, with its counterexample."""
    status = paint(f"{clause.status:8}", STATUS_TONE[clause.status])
    how = "from the cache" if clause.cached else f"{clause.seconds:.1f} s"
    requirements = one_line(", ".join(clause.requirements))
    yield f"  {clause.clause:4} {requirements:{width}}  {status}  {clause.engine}, {how}"
    if clause.why:
        yield f"       {one_line(clause.why)}"
    if clause.counterexample is not None:
        yield from _counterexample_lines(clause.counterexample, words)


def _counterexample_lines(counterexample: Counterexample, words: ArgumentWords) -> Iterator[str]:
    yield f"       counterexample: {arguments_text(counterexample.shown, words) or 'any arguments'}"
    left_out = words.left_out(counterexample.left_out, counterexample.arguments)
    if left_out and counterexample.shown:
        yield f"       it does not rest on: {one_line(', '.join(left_out))}"
    if counterexample.confirmed:
        decided = f" decides {counterexample.decision} and" if counterexample.decision else ""
        yield f"       confirmed: the policy run on it{decided} breaks the clause"
    else:
        yield "       " + paint("not confirmed: the policy run on it does not break the clause", Tone.WARN)
    if counterexample.realised is not None:
        yield "       a run in which it happens:"
        yield from (f"         {words}" for words in run_words(counterexample.realised))
    if counterexample.note:
        yield f"       {one_line(counterexample.note)}"
    yield from map(words.said, _path_lines(counterexample.path))


def _path_lines(path: Sequence[PathRule]) -> Iterator[str]:
    """Lines on the rules that fired or nearly fired, with their conditions; the number of the others."""
    near = [rule for rule in path if not rule.fired and any(truth for _, truth in rule.conditions)]
    shown_rules = [*(rule for rule in path if rule.fired), *near[:_MOST_NEAR]]
    for rule in shown_rules or path[:1]:
        yield f"       {one_line(rule.rule)} {'fired' if rule.fired else 'did not fire'}"
        yield from (
            f"         {'yes' if truth else 'no '}  {one_line(text)}" for text, truth in rule.conditions
        )
    hidden_count = len(path) - len(shown_rules or path[:1])
    if hidden_count > 0:
        yield f"       {counted(hidden_count, 'other rule')} did not fire"


def figures_lines(figures: ReplaySummary, unreadable: int) -> Iterator[str]:
    """Lines on the number of calls with each decision, and how often each rule fired."""
    yield f"Replay      {counted(figures.calls, 'call')}: {figures.words}"
    width = max((len(rule) for rule in figures.by_rule), default=0)
    for rule, count in figures.by_rule.items():
        yield f"  {rule:{width}}  {count}"
    if unreadable:
        yield "  " + paint(f"{counted(unreadable, 'record')} could not be read", Tone.WARN)


def call_line(decided: CallDecision, look_up_first: str) -> str:
    """One recorded call on one line: run, call, decision, reason, and the record to look up first."""
    text = _decision_and_why(decided, look_up_first, "")
    return f"{one_line(decided.run)}  {decided.index}  {text}"


def tried_line(decided: CallDecision, text: str, look_up_first: str) -> str:
    """One tried call on one line: its line, the decision, its text, and as of a recorded one why."""
    return f"{decided.index:4}  {_decision_and_why(decided, look_up_first, one_line(text.strip(), 60))}"


def _decision_and_why(decided: CallDecision, look_up_first: str, called: str) -> str:
    decision = decided.decision
    verdict = paint(f"{decision.verdict:15}", VERDICT_TONE[decision.verdict])
    why = in_a_row(
        violation.message + (f" [{', '.join(violation.items)}]" if violation.items else "")
        for violation in decision.violations
    ) or in_a_row(undetermined_words(decision.reasons))
    guards = "; ".join(f"{name}: {guard_verdict}" for name, guard_verdict in decided.parts.items())
    parts = (one_line(why), one_line(look_up_first), f"({one_line(guards)})" if guards else "")
    text = " ".join(part for part in parts if part)
    return "  ".join(part for part in (verdict, called, text) if part).rstrip()


def program_lines(text: str) -> Iterator[str]:
    """A program's text, line by line, safe to show."""
    return (clean(line) for line in text.splitlines())


def finding_lines(finding: Diagnosis) -> Iterator[str]:
    """Lines on the result of an examination, with the remedy if something is wrong."""
    if finding.good:
        state = paint("ok     ", Tone.GOOD)
    else:
        state = paint("MISSING", Tone.BAD) if finding.needed else paint("note   ", Tone.WARN)
    yield f"{state}  {finding.subject:14}  {one_line(finding.finding)}"
    if finding.remedy:
        yield f"         remedy: {one_line(finding.remedy)}"


def unasked_sentences(unasked: Mapping[str, int], *, fail_closed: bool) -> list[str]:
    """Notes on calls for which a replay lacks GuardAgent's decision, because a replay asks no model."""
    consequence = (
        "They cannot be evaluated."
        if fail_closed
        else "The policies decide them alone here; live they wait for it. --fail-closed refuses them."
    )
    return [
        f"{name} would be asked about {counted(count, 'call')} of which it keeps nothing. {consequence}"
        for name, count in unasked.items()
        if count
    ]
