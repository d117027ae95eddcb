"""Commands about single cases: cases lists them, case keeps or removes one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, cast

import typer

from workbench.cli.opening import reading, writing
from workbench.cli.output import one_line, write, write_json
from workbench.cli.parameters import AsJson, SessionPath
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from workbench.app.cases import KeptCase
    from workbench.model import Arguments, Case, Json, Value, Verdict
    from workbench.policy.terms import PolicyTerms

Expected = Annotated[
    str | None,
    typer.Option(
        "--expect", metavar="DECISION", help="What a person expects: allow, deny or cannot-evaluate."
    ),
]


def cases(session: SessionPath, as_json: AsJson = False) -> int:
    """List the session's cases."""
    from workbench.cli.report_text import arguments_text

    with reading(session) as bench:
        found = bench.session.cases
    if as_json:
        write_json([_json_case(one) for one in found])
        return 0
    for one in found:
        write(one_line(f"{one.id}  {one.expected}  {one.origin}"))
        write(f"  {arguments_text(one.arguments)}")
        if one.reason:
            write(f"  {one_line(one.reason)}")
    if not found:
        write("The session has no cases.")
    return 0


def case(
    session: SessionPath,
    from_clause: Annotated[
        str, typer.Option("--from-clause", metavar="CLAUSE", help="Take the counterexample to this clause.")
    ] = "",
    arguments: Annotated[
        str, typer.Option("--arguments", metavar="JSON", help="Take these arguments, as one JSON object.")
    ] = "",
    expect: Expected = None,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why it is expected.")] = "",
    remove: Annotated[str, typer.Option("--remove", metavar="ID", help="Remove this case.")] = "",
    as_json: AsJson = False,
) -> int:
    """Keep an input as a case, or remove a case.

    Says whether the rules or the contract are wrong about it; exits with 1 if one of them is.
    """
    if sum(map(bool, (from_clause, arguments, remove))) != 1 or bool(remove) != (expect is None):
        raise WorkbenchError("Give --from-clause or --arguments together with --expect, or --remove alone.")
    with writing(session) as bench:
        if remove:
            gone = bench.cases.remove(remove)
            write_json(_json_case(gone)) if as_json else write(one_line(f"Removed {gone.id}."))
            return 0
        terms = bench.policy.terms()
        expected = verdict_of(expect or "")
        if from_clause:
            found = bench.proof.counterexample(terms, from_clause)
            clause = next(one for one in terms.clauses if one.id == from_clause)
            kept = bench.cases.keep(
                terms,
                found.arguments,
                expected,
                reason=reason or f"Counterexample to {from_clause}: {clause.comment or clause.source}",
                requirements=clause.requirements,
                origin="counterexample",
                identity=f"counterexample-{from_clause}",
            )
        else:
            kept = bench.cases.keep(terms, _read_arguments(arguments, terms), expected, reason=reason)
    return tell_kept(kept, as_json)


def verdict_of(word: str) -> Verdict:
    """The decision that a word names; raises WorkbenchError for another word."""
    from workbench.model import Verdict

    try:
        return Verdict(word)
    except ValueError:
        known = ", ".join(Verdict)
        raise WorkbenchError(f"{word!r} is no decision; expect one of: {known}.") from None


def tell_kept(kept: KeptCase, as_json: bool) -> int:
    """Say which case was kept and what it shows; 1 if rules or contract are wrong about it."""
    from workbench.cli.report_text import arguments_text

    judged = kept.judgement
    if as_json:
        write_json(
            {
                "case": _json_case(kept.case),
                "decided": judged.decided,
                "rules": list(judged.rules),
                "rule_wrong": judged.rule_wrong,
                "clauses_wrong": list(judged.clauses),
            }
        )
    else:
        write(one_line(f"Kept {kept.case.id}: expects {kept.case.expected}."))
        write(f"  {arguments_text(kept.case.arguments)}")
        write(f"  {one_line(judged.sentence)}")
    return 1 if judged.rule_wrong or judged.clauses else 0


def _json_case(one: Case) -> dict[str, Json]:
    from workbench.policy.json_values import json_arguments

    return {
        "id": one.id,
        "arguments": json_arguments(one.arguments),
        "expected": one.expected,
        "reason": one.reason,
        "requirements": list(one.requirements),
        "origin": one.origin,
    }


def _read_arguments(text: str, terms: PolicyTerms) -> Arguments:
    """The arguments that a JSON object gives; each must be one of the policy's and fit its type."""
    from workbench.runs.extract.coerce import coerce
    from workbench.runs.extract.found_value import Missing

    try:
        given: object = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise WorkbenchError('The arguments are not one JSON object; write them like {"age": 17}.')
    values = cast("dict[str, Json]", given)
    known = {one.name: one.type for one in terms.arguments}
    for name in values:
        if name not in known:
            raise WorkbenchError(f"The policy has no argument {name!r}; it has {', '.join(known) or 'none'}.")
    found: dict[str, Value] = {}
    for name, value in values.items():
        try:
            found[name] = coerce(value, known[name])
        except Missing as error:
            raise WorkbenchError(f"The argument {name} does not fit: {error}.") from None
    return found
