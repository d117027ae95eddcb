"""The command of the cases: it lists them, keeps one, lets one expect another decision, or removes one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import one_line
from workbench.cli.open_session import reading, writing
from workbench.cli.output import tell, write, write_result
from workbench.cli.parameters import AsJson, SessionPath
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from workbench.app.cases import KeptCase
    from workbench.app.value_texts import ArgumentWords
    from workbench.model import Verdict

Expected = Annotated[
    str | None,
    typer.Option(
        "--expect", metavar="DECISION", help="What a person expects: allow, ask, deny or cannot-evaluate."
    ),
]


Generate = Annotated[
    bool,
    typer.Option(
        "--generate", help="Make the cases of a policy of calls anew first; those that a person kept stay."
    ),
]


def cases(
    session: SessionPath,
    generate: Generate = False,
    from_clause: Annotated[
        str, typer.Option("--from-clause", metavar="CLAUSE", help="Keep the counterexample to this clause.")
    ] = "",
    arguments: Annotated[
        str, typer.Option("--arguments", metavar="JSON", help="Keep these arguments, one JSON object.")
    ] = "",
    case: Annotated[
        str, typer.Option("--case", metavar="ID", help="Let this case expect the decision from now on.")
    ] = "",
    expect: Expected = None,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why it is expected.")] = "",
    remove: Annotated[str, typer.Option("--remove", metavar="ID", help="Remove this case.")] = "",
    as_json: AsJson = False,
) -> int:
    """List the cases; keep, change or remove one.

    Of an input it says whether the rules or the contract are wrong about it; it exits with 1 if one is.
    """
    if not (from_clause or arguments or case or remove or expect is not None):
        return _listed(session, as_json, generate=generate)
    one = sum(map(bool, (from_clause, arguments, case, remove, generate))) == 1 and not generate
    if not one or bool(remove) != (expect is None):
        message = "Give --from-clause, --arguments or --case together with --expect, or --remove alone."
        raise WorkbenchError(message)
    if remove:
        return _removed(session, remove, as_json)
    if case:
        return _expecting(session, case, verdict_of(expect or ""), as_json)
    with writing(session) as bench:
        terms = bench.policy.terms()
        expected = verdict_of(expect or "")
        if from_clause:
            counterexample = bench.proof.counterexample(terms, from_clause)
            kept_case = bench.cases.keep_counterexample(terms, from_clause, counterexample, expected, reason)
        else:
            read = bench.cases.read_arguments(terms, arguments)
            kept_case = bench.cases.keep(terms, read, expected, reason=reason)
    return tell_case(kept_case, as_json, terms.file.words)


def _listed(session: Path, as_json: bool, *, generate: bool) -> int:
    from workbench.cli.report_text import arguments_text

    if generate:
        with writing(session) as bench:
            bench.cases.generate()
    with reading(session) as bench:
        session_cases, words = bench.session.cases, bench.policy.words
    if as_json:
        write_result(session_cases)
        return 0
    for stored_case in session_cases:
        write(one_line(f"{stored_case.id}  {stored_case.expected}  {stored_case.origin}"))
        write(f"  {arguments_text(stored_case.arguments, words)}")
        if stored_case.reason:
            write(f"  {one_line(stored_case.reason)}")
    if not session_cases:
        write("The session has no cases.")
    return 0


def _removed(session: Path, name: str, as_json: bool) -> int:
    with writing(session) as bench:
        gone = bench.cases.remove(name)
    tell(gone, [one_line(f"Removed {gone.id}.")], as_json=as_json)
    return 0


def _expecting(session: Path, name: str, expected: Verdict, as_json: bool) -> int:
    with writing(session) as bench:
        changed = bench.cases.take(name, expected)
    tell(changed, [one_line(f"{changed.id} expects {changed.expected}.")], as_json=as_json)
    return 0


def verdict_of(word: str) -> Verdict:
    """The decision that a word names; raises WorkbenchError for another word."""
    from workbench.model import Verdict

    try:
        return Verdict(word)
    except ValueError:
        verdict_names = ", ".join(Verdict)
        raise WorkbenchError(f"{word!r} is no decision; expect one of: {verdict_names}.") from None


def tell_case(kept_case: KeptCase, as_json: bool, words: ArgumentWords) -> int:
    """Write which case was kept and what it shows; return 1 if rules or contract are wrong about it."""
    from workbench.cli.report_text import arguments_text

    case, judged = kept_case.case, kept_case.judgement
    lines = (
        one_line(f"Kept {case.id}: expects {case.expected}."),
        f"  {arguments_text(case.arguments, words)}",
        f"  {one_line(words.said(judged.sentence))}",
    )
    tell(kept_case, lines, as_json=as_json)
    return 1 if judged.something_wrong else 0
