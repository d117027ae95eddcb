"""Commands that find out whether a policy is right: check, test, verify."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.open_session import reading, tell_absent, writing
from workbench.cli.output import note, progress, tell, write, write_json, write_lines
from workbench.cli.parameters import (
    AsJson,
    OtherPolicy,
    ReplayCalls,
    SessionPath,
    policy_name,
    policy_text,
    terms_of,
)

if TYPE_CHECKING:
    from workbench.app.report import Report
    from workbench.app.value_texts import ArgumentWords

_STAGES = {
    "clarify": "Reading the request and the logs",
    "test": "Running the cases",
    "prove": "Proving the contract",
    "replay": "Replaying the logs",
}


def check(
    session: SessionPath,
    accept: Annotated[
        bool,
        typer.Option(
            "--accept",
            help="If all is good, accept this version: guards and exported files enforce it from then on.",
        ),
    ] = False,
    anyway: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Accept it although this is not good: a widening by its rule, an open question, a clause "
            "that is not decided; may be repeated.",
        ),
    ] = None,
    replay_calls: ReplayCalls = False,
    as_json: AsJson = False,
) -> int:
    """Clarify, test, prove and replay a session, and report.

    Exits with 1 unless nothing is open, every case passes and every clause and theorem is proved. With
    --accept, exits with 1 if the version was not accepted.
    """
    from workbench.model import WorkbenchError

    if anyway and not accept:
        raise WorkbenchError(
            "--anyway says what is accepted although it is not good; write it with --accept."
        )
    if accept:
        return _accept(session, anyway or (), replay_calls=replay_calls, as_json=as_json)
    with reading(session, replay_calls=replay_calls) as bench:
        report = bench.check(on_stage=_tell_stage)
        words = bench.policy.words
        if report.problems:
            tell_absent(bench)
    _write_report(report, words, as_json=as_json)
    return report.exit_code


def _accept(session: Path, anyway: Sequence[str], *, replay_calls: bool, as_json: bool) -> int:
    """Check a session and accept it, or say what is missing."""
    from workbench.cli.person import need_person
    from workbench.cli.report_text import accepted_lines

    need_person(session, "Accept its present version, which the guard then enforces?")
    with writing(session, replay_calls=replay_calls) as bench:
        accepted = bench.accept(anyway, _tell_stage)
        version = bench.enforced.version if accepted.done else None
        words = bench.policy.words
    _write_report(accepted.report, words, as_json=as_json, accepted=accepted.done)
    for line in accepted_lines(accepted, "" if version is None else version.words):
        (note if as_json else write)(line)
    return 0 if accepted.done else 1


def _tell_stage(stage: str) -> None:
    progress(_STAGES.get(stage, stage))


def _write_report(report: Report, words: ArgumentWords, *, as_json: bool, accepted: bool = False) -> None:
    from workbench.cli.report_text import report_lines

    tell(report, report_lines(report, words, accepted=accepted), as_json=as_json, words=words)


def test(session: SessionPath, policy: OtherPolicy = None, as_json: AsJson = False) -> int:
    """Run the session's cases against its policy with pytest. Exits with 1 if one fails or there is none."""
    from workbench.cli.report_text import case_lines
    from workbench.serialization.nouns import CASES

    source = policy_text(policy)
    with reading(session) as bench:
        bench.policy.terms(source, policy_name(policy))
        progress("Running the cases")
        results = bench.cases.run(source).results
        cases, words = bench.session.cases, bench.policy.words
    if as_json:
        write_json(CASES.write(results), words)
    elif results:
        write_lines(case_lines(results, cases, words))
    if not results:
        make = f"workbench cases {shlex.quote(str(session))} --generate"
        note(f"{session} has no cases, so nothing was tested. To make those of its rules: {make}")
    return 0 if results and all(result.passed for result in results) else 1


def verify(
    session: SessionPath,
    policy: OtherPolicy = None,
    preview: Annotated[
        bool,
        typer.Option("--preview", help="Ask only the solver (cvc5): instant, and marked as such."),
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            min=1,
            max=3600,
            metavar="SECONDS",
            help="Seconds of the verifier's work for each clause (30), after which it is unknown.",
        ),
    ] = None,
    program: Annotated[
        bool, typer.Option("--program", help="Print the program that the verifier sees, and prove nothing.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Prove every clause of the contract with Nagini. Exits with 1 unless every clause is proved."""
    from workbench.cli.report_text import program_lines, proof_lines
    from workbench.model import ProofStatus

    with reading(session) as bench:
        terms = terms_of(bench, policy)
        if program:
            write_lines(program_lines(bench.proof.lowered(terms)))
            return 0
        if preview:
            proof = bench.proof.preview(terms)
        else:
            progress("Proving the contract")
            proof = bench.proof.prove(terms, time_limit=time_limit)
    tell(proof, proof_lines(proof, terms.file.words), as_json=as_json, words=terms.file.words)
    return 0 if proof.status is ProofStatus.PROVED else 1
