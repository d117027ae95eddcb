"""Commands about the policy file itself: draft, undo, redo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import counted, one_line
from workbench.cli.conflict_text import conflict_lines
from workbench.cli.model_calls import tell_call
from workbench.cli.open_session import reading, writing
from workbench.cli.output import write, write_lines
from workbench.cli.parameters import ReplayCalls, SessionPath
from workbench.cli.person import need_person

if TYPE_CHECKING:
    from workbench.app.results import SessionChange


def draft(
    session: SessionPath,
    replay_calls: ReplayCalls = False,
    rounds: Annotated[
        bool, typer.Option("--rounds", help="List the rounds of a model's refinement, and change nothing.")
    ] = False,
    take: Annotated[
        int | None,
        typer.Option("--round", metavar="N", min=0, help="Go back to this round: make it the policy file."),
    ] = None,
    discard_edits: Annotated[
        bool,
        typer.Option("--discard-edits", help="Take the draft as it is, without what a person edited."),
    ] = False,
    accept_defaults: Annotated[
        bool,
        typer.Option(
            "--accept-defaults",
            help="Answer what the model asks as its draft assumes, and inputs by a denial; each is marked.",
        ),
    ] = False,
) -> int:
    """Draft policy and cases anew, keeping what a person edited.

    Where a model drafts, its calls are shown as they run, with tokens, seconds and cost.
    """
    if rounds:
        return _list_rounds(session, replay_calls)
    if accept_defaults:
        return _take_defaults(session, replay_calls)
    with writing(session, replay_calls=replay_calls) as bench:
        bench.authorship.watch(tell_call)
        if take is not None:
            moved = bench.policy.take_round(take)
            write(f"The policy is round {take}." if moved else f"The policy is round {take} already.")
            return 0
        changed = bench.request.redraft(discard_edits=discard_edits)
        edited = bench.request.policy_edited
    write(_drafted_words(session, changed, edited=edited))
    for clause in changed.narrowed:
        write(one_line(f"It follows the rules of policy.py now: {clause}"))
    write_lines(conflict_lines(changed, session))
    return 1 if changed.conflicts or changed.contradictions else 0


def _drafted_words(session: Path, changed: SessionChange, *, edited: bool) -> str:
    if changed.policy or changed.cases:
        return "Drafted."
    if edited and not changed.conflicts:
        return (
            "The draft is what the session already has, but for your own edits of the policy: "
            f"'workbench diff {one_line(str(session))} draft current' shows them."
        )
    return "The draft is what the session already has."


def _take_defaults(session: Path, replay_calls: bool) -> int:
    """Draft if there is no policy, take the defaults, and list what was assumed and what stays open."""
    from workbench.cli.report_text import not_in_force_lines

    need_person(session, "Answer its questions by default, and change its policy?")
    with writing(session, replay_calls=replay_calls) as bench:
        bench.authorship.watch(tell_call)
        bench.request.draft_first()
        taken = bench.questions.assume_defaults()
        left, missing = bench.questions.understand().open, bench.in_force.missing_answers()
    for assumption in taken:
        write(one_line(f"Assumed by default: {assumption.question}  {assumption.statement}"))
    for question in left:
        write(one_line(f"Open, as nothing safe can be assumed: {question.id}  {question.text}"))
    write_lines(not_in_force_lines(missing))
    if not (taken or left or missing):
        write("Nothing is open.")
    return 1 if left or missing else 0


def _list_rounds(session: Path, replay_calls: bool) -> int:
    with reading(session, replay_calls=replay_calls) as bench:
        draft = bench.request.draft()
    for number, draft_round in enumerate(draft.rounds):
        write(one_line(f"round:{number}  {draft_round.score}{'  (kept)' if draft_round.is_kept else ''}"))
        write_lines(f"  {one_line(line)}" for line in draft_round.findings)
    if draft.stopped:
        write(one_line(f"It ended there: {draft.stopped}."))
    if not draft.rounds:
        write("The draft has no rounds: only the author that asks a model refines.")
    return 0


def stub(session: SessionPath) -> int:
    """Write agent.pyi, the classes that a policy of calls imports.

    They are those of the agent's calls, records and context, as agent.toml has them. Editors complete and
    check policies with it. Parameters that have no type are listed, with the reasons.
    """
    with writing(session) as bench:
        types = bench.agent.write_stub()
    counts = (counted(len(types.calls), "tool"), counted(len(types.records), "record"))
    write(f"Wrote agent.pyi with the classes of {' and '.join(counts)}.")
    for reason in types.unreadable.values():
        write(one_line(reason))
    return 0


def undo(
    session: SessionPath,
    versions: Annotated[
        bool, typer.Option("--list", help="List the changes with their numbers, and take none back.")
    ] = False,
    to: Annotated[
        int | None,
        typer.Option(
            "--to",
            metavar="N",
            min=0,
            help="Make the policy after change N the policy file (0: before the first); the rest stays.",
        ),
    ] = None,
) -> int:
    """Take back the last change of the session. Exits with 1 if there is none.

    A change that was interrupted is dropped: its files get the texts from before it.
    """
    if versions:
        return _list_versions(session)
    if to is not None:
        return _go_back(session, to)
    with writing(session) as bench:
        done = "Undone" if bench.session.interrupted is None else "Dropped"
        change = bench.session.undo()
    write(one_line(f"{done}: {change.label}") if change else "There is nothing to undo.")
    return 0 if change else 1


def _list_versions(session: Path) -> int:
    with reading(session) as bench:
        versions = bench.first_state().versions
    for version in versions:
        present = ", the present one" if version.current else ""
        write(one_line(f"{version.number}. {version.when} {version.label}{present}"))
    if not versions:
        write("Nothing was changed yet.")
    return 0


def _go_back(session: Path, number: int) -> int:
    from workbench.model import WorkbenchError

    with writing(session) as bench:
        count = len(bench.session.history)
        if number > count:
            raise WorkbenchError(
                f"The session has {counted(count, 'change')}; 'workbench undo --list' has their numbers."
            )
        moved = bench.policy.restore(number)
    write(f"The policy is that of version {number}{' again' if moved else ' already'}.")
    return 0


def redo(session: SessionPath) -> int:
    """Make the last change that was undone again. Exits with 1 if there is none.

    A change that was interrupted is completed: its files get the texts from after it.
    """
    with writing(session) as bench:
        done = "Redone" if bench.session.interrupted is None else "Completed"
        change = bench.session.redo()
    write(one_line(f"{done}: {change.label}") if change else "There is nothing to redo.")
    return 0 if change else 1
