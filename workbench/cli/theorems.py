"""The command about theorems: what holds of every run that the guard lets through."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import counted
from workbench.cli.cases import tell_case
from workbench.cli.open_session import reading, writing
from workbench.cli.output import note, progress, tell, write
from workbench.cli.parameters import AsJson, OtherPolicy, SessionPath, terms_of
from workbench.model import ProofStatus, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.workbench import Workbench


RecordTo = Annotated[
    Path | None,
    typer.Option("--log", metavar="FILE", help="With --run: record the run that breaks a theorem."),
]
Played = Annotated[str, typer.Option("--run", metavar="NAME", help="Play the run that breaks a theorem.")]


def theorems(
    session: SessionPath,
    policy: OtherPolicy = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Ask only the solver (cvc5), and mark the verdicts as such.")
    ] = False,
    calls: Annotated[
        int, typer.Option("--calls", min=1, max=12, metavar="NUMBER", help="The most calls of a run tried.")
    ] = 6,
    strength: Annotated[
        bool, typer.Option("--strength", help="Count the wrong versions that each theorem refuses.")
    ] = False,
    keep: Annotated[
        str, typer.Option("--keep", metavar="NAME", help="Keep the last call of a breaking run as a case.")
    ] = "",
    log: RecordTo = None,
    run: Played = "",
    as_json: AsJson = False,
) -> int:
    """Prove what holds of every run, or show a run that breaks it.

    Exits with 1 unless every theorem is proved, and what the session extends can decide.
    """
    from workbench.cli.theorem_text import theorem_lines

    if bool(run) != (log is not None) or (keep and run):
        raise WorkbenchError("--run NAME and --log FILE belong together, without --keep.")
    if keep:
        return _keep(session, keep, as_json=as_json)
    if run and log is not None:
        return _record(session, policy, run, log)
    with reading(session) as bench:
        terms = terms_of(bench, policy)
        progress("Proving the theorems")
        verdicts = bench.theorems.verdicts(terms, verify=not preview, most=calls)
        refused = bench.theorems.refused(terms, bench.theorems.strength(terms)) if strength else {}
        extends, broken = bench.session.info.extends, _not_extended(bench)
    verdicts = tuple(replace(one, refuses=refused.get(one.name)) for one in verdicts)
    lines = theorem_lines(verdicts, "" if broken else extends)
    tell(verdicts, lines, as_json=as_json, words=terms.file.words)
    if broken:
        note(broken)
    return 0 if not broken and all(one.status is ProofStatus.PROVED for one in verdicts) else 1


def _not_extended(bench: Workbench) -> str:
    """Why nothing is true of the runs of the session because it is true of those of its baselines."""
    try:
        bench.enforced.extended(bench.session.info)
    except WorkbenchError as error:
        return str(error)
    return ""


def _record(session: Path, policy: Path | None, theorem: str, log: Path) -> int:
    """Play the run that breaks a theorem, and record it."""
    with reading(session) as bench:
        played = bench.theorems.record(terms_of(bench, policy), theorem, log)
    write(f"Recorded a run of {counted(len(played.calls), 'call')} in {log}.")
    return 0


def _keep(session: Path, name: str, *, as_json: bool) -> int:
    """Keep the last call of the run that breaks a theorem as a case."""
    with writing(session) as bench:
        terms = bench.policy.terms()
        kept = bench.theorems.keep(terms, name)
        return tell_case(kept, as_json, terms.file.words)
