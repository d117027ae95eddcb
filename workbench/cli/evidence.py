"""Commands about how much a proof means: strength, evidence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import one_line
from workbench.cli.cases import Expected, tell_case, verdict_of
from workbench.cli.open_session import reading, writing
from workbench.cli.output import counting, note, paint, progress, tell, write, write_result
from workbench.cli.parameters import AsJson, OtherPolicy, SessionPath, terms_of
from workbench.model import WorkbenchError
from workbench.tones import Tone

ENVIRONMENT = 3

if TYPE_CHECKING:
    from workbench.app.proof import Evidence
    from workbench.app.strength import StrengthReport
    from workbench.app.value_texts import ArgumentWords
    from workbench.model import Question


def strength(
    session: SessionPath,
    policy: OtherPolicy = None,
    case: Annotated[
        str,
        typer.Option(
            "--case", metavar="ID", help="Keep the input that a wrong version differs on as a case."
        ),
    ] = "",
    expect: Expected = None,
    accept: Annotated[
        str,
        typer.Option(
            "--accept", metavar="ID", help="Let this wrong version pass, for a reason that is stored."
        ),
    ] = "",
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why it may pass.")] = "",
    as_json: AsJson = False,
) -> int:
    """Measure how many wrong versions the contract refuses.

    A contract that lets wrong versions pass proves little. Exits with 1 if one passes for which no reason is
    stored. With --case or --accept nothing is measured: one wrong version is decided upon.
    """
    chosen_names = [name for name in (case, accept) if name]
    if len(chosen_names) > 1 or (chosen_names and policy is not None):
        raise WorkbenchError("Give one of --case and --accept, without --policy.")
    if bool(reason) != bool(accept) or (expect is not None and not case):
        raise WorkbenchError("--reason belongs to --accept, which needs it; --expect belongs to --case.")
    if chosen_names:
        return _decide(session, case, expect, accept, reason, as_json)
    with reading(session) as bench:
        terms = terms_of(bench, policy)
        progress("Trying wrong versions of the policy")
        report = bench.strength.measure(terms, on_progress=counting("Wrong versions tried"))
    tell(report, strength_lines(report, terms.file.words), as_json=as_json, words=terms.file.words)
    return 0 if report.settled else 1


def _decide(session: Path, case: str, expect: str | None, accept: str, reason: str, as_json: bool) -> int:
    """Turn one wrong version into a case, or into an accepted one with a stored reason."""
    with writing(session) as bench:
        terms = bench.policy.terms()
        mutant_result = bench.strength.survivor(terms, case or accept)
        if case:
            if expect is None:
                question = bench.strength.question(terms, mutant_result)
                return _ask(question, as_json, terms.file.words)
            kept_case = bench.strength.case(terms, mutant_result, verdict_of(expect))
            return tell_case(kept_case, as_json, terms.file.words)
        stored = bench.strength.accept(mutant_result, reason)
    text = f"Stored: {stored.mutant} may pass ({stored.what}), because: {stored.reason}"
    words = terms.file.words
    tell(stored, [one_line(words.said(text))], as_json=as_json, words=words)
    return 0


def _ask(question: Question, as_json: bool, words: ArgumentWords) -> int:
    """Show a question by example that needs ``--expect``; return 1, because the question is open."""
    from workbench.cli.report_text import arguments_text

    if as_json:
        write_result(question, words)
        return 1
    write(one_line(words.said(question.text)))
    if question.quote:
        write(f'  "{one_line(question.quote)}"')
    if question.example is not None:
        write(f"  {arguments_text(question.example, words)}")
    write("  answer: the same command with --expect allow or --expect deny")
    return 1


def strength_lines(report: StrengthReport, words: ArgumentWords) -> Iterator[str]:
    """Lines on the wrong versions: how many the contract refuses, and each that passes, with an input."""
    from workbench.cli.report_text import arguments_text

    yield f"Strength    {report.killed} of {report.killable} wrong versions are refused by the contract"
    yield from _run_lines(report)
    if report.equivalent:
        yield f"  {report.equivalent} more decide every input as the policy does: no contract refuses them"
    if report.left_out:
        yield f"  an even sample: {report.left_out} more were not tried"
    for clause, kills in report.kills.items():
        yield f"  {clause:4} refuses {kills}"
    for clause, why in report.unused.items():
        yield paint(f"  {clause:4} judges nothing: {one_line(why)}", Tone.WARN)
    for result in report.survived:
        reason = report.accepted.get(result.mutant.id)
        mutant_text = words.said(f"{result.mutant.id}  {result.mutant.where}: {result.mutant.description}")
        if reason is not None:
            yield f"  survived, accepted: {one_line(reason)}"
            yield f"    {one_line(mutant_text)}"
            continue
        yield paint(f"  passes: {one_line(mutant_text)}", Tone.WARN)
        if result.example is not None:
            decisions = f"{result.policy_decision} became {result.mutant_decision}"
            yield f"    on {arguments_text(result.example, words)}: {decisions}"
    for result in report.undecided:
        yield f"  not decided: {one_line(words.said(result.mutant.description))} ({one_line(result.why)})"


def _run_lines(report: StrengthReport) -> Iterator[str]:
    """Lines on the refused wrong versions of a policy of calls of which no run shows that they are."""
    if report.not_realised:
        yield f"  {report.not_realised} of these possible, not realised: no run was found that shows it"
    if report.not_searched:
        why = "the limit of runs was reached"
        yield f"  {report.not_searched} of these without a search for a run that shows it: {why}"


def evidence(session: SessionPath, as_json: AsJson = False) -> int:
    """Show what each proved clause rests on and was tried by.

    The verdicts are the solver's preview and, where it has proved this very policy before, the verifier's.
    Exits with 1 if something is not in force, a sentence has no clause, a clause says nothing, or the preview
    does not prove one or a theorem, and with 3 if the two engines contradict each other.
    """
    from workbench.app.owed import not_in_force
    from workbench.app.proof import EvidenceReport
    from workbench.cli.report_text import not_in_force_lines
    from workbench.model import ProofStatus

    with reading(session) as bench:
        terms = bench.policy.terms()
        proof, unused = bench.proof.preview(terms), bench.proof.known(terms).why
        if unused:
            note(unused)
        progress("Trying wrong versions of the policy")
        clause_evidence = bench.proof.evidence(
            terms,
            strength=bench.strength.measure(terms, on_progress=counting("Wrong versions tried")),
            decisions=bench.runs.decide(terms, bench.runs.load(terms=terms)),
            theorems=bench.theorems.verdicts(terms, verify=False),
        )
        reports = bench.proof.disagreements(terms, clause_evidence)
        owed = bench.in_force.owed()
    lines = (
        *not_in_force_lines(owed),
        *evidence_lines(clause_evidence),
        *(text for report in reports for text in _report_lines(report)),
    )
    whole = EvidenceReport(clause_evidence, reports, owed)
    tell(whole, lines, as_json=as_json, words=terms.file.words)
    if reports:
        return ENVIRONMENT
    good = proof.status is ProofStatus.PROVED and not clause_evidence.sentences_without_clause
    good = good and all(one.status is ProofStatus.PROVED for one in clause_evidence.theorems)
    return 0 if good and not not_in_force(owed) else 1


def _report_lines(report: str) -> Iterator[str]:
    from workbench.cli.report_text import program_lines

    yield paint("The engines disagree. This is an error of the workbench: please report all that follows.",
                Tone.BAD)  # fmt: skip
    yield from program_lines(report)


def evidence_lines(clause_evidence: Evidence) -> Iterator[str]:
    """Lines on the evidence for each clause: verdicts, sentences, vacuity, cases, mutants and calls."""
    from workbench.clean_text import counted

    for row in clause_evidence.rows:
        verdict = ", ".join(
            f"{verdict.engine}: {verdict.status}{f' ({verdict.why})' if verdict.why else ''}"
            for verdict in row.verdicts
        )
        yield paint(
            one_line(f"{row.clause}  {', '.join(row.requirements)}  {verdict or 'no verdict'}"), Tone.TITLE
        )
        yield from (f"  says      {shorten(one_line(sentence), 160)}" for sentence in row.sentences)
        yield from (f"  assumes   {one_line(item.statement)} ({item.made_by})" for item in row.assumptions)
        if row.vacuity is not None:
            tone = Tone.BAD if row.vacuity.vacuous else Tone.MUTED
            yield paint(f"  vacuous   {one_line(row.vacuity.text)}", tone)
        yield f"  tried by  {counted(len(row.cases), 'case')} and {counted(row.calls or 0, 'logged call')}"
        if row.mutants_killed is not None:
            yield f"  refuses   {counted(row.mutants_killed, 'wrong version')}"
    if clause_evidence.theorems:
        from workbench.cli.theorem_text import theorem_lines

        yield from theorem_lines(clause_evidence.theorems)
    if clause_evidence.killed is not None:
        yield f"The contract refuses {clause_evidence.killed} of {clause_evidence.killable} wrong versions."
    yield from (
        paint(f"no clause for: {one_line(item)}", Tone.WARN)
        for item in clause_evidence.sentences_without_clause
    )
    yield from (
        f"no sentence for the rule {one_line(item)}" for item in clause_evidence.rules_without_sentence
    )
    yield from (f"no log exercised {one_line(item)}" for item in clause_evidence.clauses_never_exercised)
