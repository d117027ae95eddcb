"""Commands about the policy file itself: draft, lower, undo, redo."""

from __future__ import annotations

from workbench.cli.opening import reading, writing
from workbench.cli.output import one_line, write
from workbench.cli.parameters import OtherPolicy, ReplayCalls, SessionPath, policy_name, policy_text


def draft(session: SessionPath, replay_calls: ReplayCalls = False) -> int:
    """Draft policy and cases anew, keeping what a person edited."""
    with writing(session, replay_calls=replay_calls) as bench:
        changed = bench.redraft()
    write("Drafted." if changed.policy or changed.cases else "The draft is what the session already has.")
    for conflict in changed.conflicts:
        write(one_line(f"Kept your edit where the draft changed it too: {conflict.name}"))
    return 1 if changed.conflicts else 0


def lower(session: SessionPath, policy: OtherPolicy = None) -> int:
    """Print the program that the verifier sees."""
    from workbench.cli.text import program_lines

    with reading(session) as bench:
        lowered = bench.lowered(bench.terms(policy_text(policy), policy_name(policy)))
    for line in program_lines(lowered):
        write(line)
    return 0


def undo(session: SessionPath) -> int:
    """Take back the last change of the session. Exits with 1 if there is none."""
    with writing(session) as bench:
        change = bench.session.undo()
    write(one_line(f"Undone: {change.label}") if change else "There is nothing to undo.")
    return 0 if change else 1


def redo(session: SessionPath) -> int:
    """Make the last change that was undone again. Exits with 1 if there is none."""
    with writing(session) as bench:
        change = bench.session.redo()
    write(one_line(f"Redone: {change.label}") if change else "There is nothing to redo.")
    return 0 if change else 1
