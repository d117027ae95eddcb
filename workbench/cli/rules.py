"""Commands about single rules: rules reads them aloud, rule builds one without a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import one_line
from workbench.cli.open_session import reading, writing
from workbench.cli.output import Tone, paint, write, write_json
from workbench.cli.parameters import AsJson, OtherPolicy, SessionPath, policy_text

if TYPE_CHECKING:
    from workbench.app.rules import RulePreview
    from workbench.app.workbench import Workbench


def rules(session: SessionPath, policy: OtherPolicy = None, as_json: AsJson = False) -> int:
    """Read each rule of the policy aloud as a sentence."""
    from workbench.app.result_forms import RULE_ALOUD

    with reading(session) as bench:
        found = bench.rules.aloud(policy_text(policy))
    for rule in found:
        if as_json:
            write_json(RULE_ALOUD.write(rule))
            continue
        ids = f"  {', '.join(rule.requirements)}" if rule.requirements else ""
        write(f"{paint(rule.name, Tone.TITLE)}{ids}")
        write(f"  {one_line(rule.sentence)}")
    if not found and not as_json:
        write("The policy has no rule.")
    return 0


def rule(
    session: SessionPath,
    tool: Annotated[
        list[str] | None,
        typer.Option("--tool", metavar="TOOL", help="A tool that the rule is about; may be repeated."),
    ] = None,
    when: Annotated[
        list[str] | None,
        typer.Option(
            "--when",
            metavar="CONDITION",
            help="A condition, as 'reservation.cabin is business', or an expression of the dialect; may be "
            "repeated, then all of them hold.",
        ),
    ] = None,
    effect: Annotated[
        str, typer.Option("--effect", metavar="forbid|permit", help="What the rule does where it applies.")
    ] = "forbid",
    message: Annotated[
        str, typer.Option("--message", metavar="TEXT", help="What a denied agent is told.")
    ] = "",
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The rule's name in the file.")] = "",
    requirement: Annotated[
        list[str] | None,
        typer.Option("--requirement", metavar="ID", help="A requirement it belongs to; may be repeated."),
    ] = None,
    facts: Annotated[
        bool, typer.Option("--facts", help="List what conditions may speak of, and what they may say.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what the rule would be and change; store nothing.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Build a rule without a sentence of the request.

    Shows its text, its clauses, an input that it decides otherwise and the recorded steps that turn, and adds
    it to the policy file; undo takes it out.
    """
    from workbench.app.rules import RulePlan

    if facts:
        with reading(session) as bench:
            _list_facts(bench, as_json)
        return 0
    plan = RulePlan(tuple(tool or ()), tuple(when or ()), effect, message, name, tuple(requirement or ()))
    with reading(session) if dry_run else writing(session) as bench:
        logs = bench.runs.load()
        found = bench.rules.preview(plan, logs) if dry_run else bench.rules.add(plan, logs)
    _tell(found, as_json)
    return 0


def _list_facts(bench: Workbench, as_json: bool) -> None:
    from workbench.app.result_forms import RULE_FACT

    for fact in bench.rules.facts().values():
        if as_json:
            write_json(RULE_FACT.write(fact))
        else:
            path = f"any|every {fact.path}" if fact.of else fact.path
            write(one_line(f"{path}: {fact.type.kind.value}; {', '.join(fact.relations)}"))


def _tell(found: RulePreview, as_json: bool) -> None:
    from workbench.app.result_forms import RULE_PREVIEW
    from workbench.cli.diff_text import change_lines

    if as_json:
        write_json(RULE_PREVIEW.write(found))
        return
    write(one_line(found.sentence))
    write()
    for line in found.rule.split("\n"):
        write(line)
    for clause in found.clauses:
        write(f"clause  {one_line(clause)}")
    write()
    for line in change_lines(found.change):
        write(line)
    write(f"Added {found.name} to the policy." if found.stored else "Nothing is stored.")
