"""The command ``diff``: the effect of a change of the policy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import one_line
from workbench.cli.open_session import reading
from workbench.cli.output import note_problems, tell
from workbench.cli.parameters import AsJson, SessionPath

if TYPE_CHECKING:
    from workbench.app.workbench import Workbench

Version = Annotated[
    str,
    typer.Argument(
        help="current, accepted, before, draft, round:N, a change's number, git:REF, a policy file or a "
        "session's folder.",
        metavar="VERSION",
    ),
]


def diff(
    session: SessionPath,
    old: Version = "before",
    new: Version = "current",
    log: Annotated[
        list[Path] | None,
        typer.Option(
            "--log", metavar="FILE", help="Replay this log instead of the session's; may be repeated."
        ),
    ] = None,
    rules: Annotated[
        bool, typer.Option("--rules", help="Show each changed rule too, as text and read aloud.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write a report for a pull request.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 on any difference, not only on what is allowed.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Show what a change of the policy newly allows and denies.

    The change is proved over all inputs and counted on the logs. Exits with 1 if something is newly allowed
    or not decided.
    """
    from workbench.cli.diff_text import change_lines, change_markdown
    from workbench.model import WorkbenchError

    if rules and (markdown or as_json):
        raise WorkbenchError("--rules adds to the text for people; give it without --markdown and --json.")

    with reading(session) as bench:
        before, after = bench.policy.version(old), bench.policy.version(new)
        logs = bench.runs.load(log)
        policy_change = bench.policy.diff(before, after, logs)
        changed_rules = _changed_rules(bench, before, after) if rules else []
    words = policy_change.words
    shown = change_markdown(policy_change) if markdown else change_lines(policy_change)
    lines = (f"From {one_line(old)} to {one_line(new)}:", *map(words.said, (*shown, *changed_rules)))
    tell(policy_change, lines, as_json=as_json, words=words)
    note_problems(logs.problems)
    return 1 if policy_change.widens or (strict and not policy_change.semantic.equivalent) else 0


def _changed_rules(bench: Workbench, before: str, after: str) -> list[str]:
    """Lines on the rules that differ between two texts of the policy."""
    from workbench.app.what_changed import rule_changes
    from workbench.cli.diff_text import rule_lines

    changes = rule_changes(bench.policy.terms(before), bench.policy.terms(after))
    return list(rule_lines(changes, bench.sentences.of_rules(before), bench.sentences.of_rules(after)))
