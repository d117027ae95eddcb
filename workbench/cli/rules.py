"""Commands about single rules: ``rules`` reads them aloud, ``rule`` builds one without a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import clean, one_line
from workbench.cli.conflict_text import agreed, contradiction_lines
from workbench.cli.diff_text import change_lines
from workbench.cli.open_session import reading, writing
from workbench.cli.output import paint, write, write_json
from workbench.cli.parameters import Anyway, AsJson, OtherPolicy, SessionPath, policy_text
from workbench.cli.questions import find_question
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.rules import RuleAloud, RulePreview, Rules
    from workbench.app.workbench import Workbench

Tools = Annotated[
    list[str] | None,
    typer.Option("--tool", metavar="TOOL", help="A tool that the rule is about; may be repeated."),
]
Conditions = Annotated[
    list[str] | None,
    typer.Option(
        "--when",
        metavar="CONDITION",
        help="A condition, as 'reservation.cabin is business', or an expression of the dialect; may be "
        "repeated, then all of them hold.",
    ),
]
Effect = Annotated[
    str, typer.Option("--effect", metavar="forbid|permit", help="What the rule does where it applies.")
]
Message = Annotated[str, typer.Option("--message", metavar="TEXT", help="What a denied agent is told.")]
RuleName = Annotated[str, typer.Option("--name", metavar="NAME", help="The rule's name in the file.")]
Requirements = Annotated[
    list[str] | None,
    typer.Option("--requirement", metavar="ID", help="A requirement it belongs to; may be repeated."),
]
SentenceQuestion = Annotated[
    str,
    typer.Option(
        "--question",
        metavar="QUESTION",
        help="The question about a sentence that is not read, whose rule this is; named as for 'answer'.",
    ),
]
ListFacts = Annotated[
    bool, typer.Option("--facts", help="List what conditions may speak of, and what they may say.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what the rule would be and change; store nothing.")
]


def rules(session: SessionPath, policy: OtherPolicy = None, as_json: AsJson = False) -> int:
    """Read each rule of the policy aloud as a sentence."""
    from workbench.app.json_output.results import RULE_ALOUD

    with reading(session) as bench:
        rule_alouds = bench.rules.aloud(policy_text(policy))
    if as_json:
        for rule in rule_alouds:
            write_json(RULE_ALOUD.write(rule))
        return 0
    for line in _aloud_lines(rule_alouds):
        write(line)
    return 0


def rule(
    session: SessionPath,
    tool: Tools = None,
    when: Conditions = None,
    effect: Effect = "forbid",
    message: Message = "",
    name: RuleName = "",
    requirement: Requirements = None,
    question: SentenceQuestion = "",
    facts: ListFacts = False,
    dry_run: DryRun = False,
    anyway: Anyway = False,
    as_json: AsJson = False,
) -> int:
    """Build a rule, for a sentence that is not read or for none.

    ``--question`` names the question of the sentence. Shows the rule's text, its clauses, an input that it
    decides otherwise and the recorded calls that turn, and adds it to the policy file; undo takes it out.
    Clauses that the program wrote except it. If another clause would not hold, nothing is stored.
    """
    from workbench.app.rules import RulePlan

    if facts:
        with reading(session) as bench:
            _list_facts(bench, as_json)
        return 0
    plan = RulePlan(tuple(tool or ()), tuple(when or ()), effect, message, name, tuple(requirement or ()))
    with reading(session) if dry_run else writing(session) as bench:
        logs = bench.runs.load()
        about = find_question(bench.questions.understand(logs=logs), question) if question else None
        if about is not None and not message:
            plan = replace(plan, message=one_line(about.quote))
        with agreed(bench, anyway=anyway):
            rule_preview = bench.rules.preview(plan, logs) if dry_run else bench.rules.add(plan, logs, about)
    _tell(rule_preview, as_json)
    return 0


def _list_facts(bench: Workbench, as_json: bool) -> None:
    from workbench.app.json_output.results import RULE_FACT

    if as_json:
        for fact in bench.rules.facts().values():
            write_json(RULE_FACT.write(fact))
        return
    for line in _fact_lines(bench.rules):
        write(line)


def _tell(rule_preview: RulePreview, as_json: bool) -> None:
    from workbench.app.json_output.results import RULE_PREVIEW

    if as_json:
        write_json(RULE_PREVIEW.write(rule_preview))
        return
    for line in _built_lines(rule_preview):
        write(line)
    write(f"Added {rule_preview.name} to the policy." if rule_preview.stored else "Nothing is stored.")


# --- the text about single rules: rules read aloud, the facts for conditions, the effect of a new rule


def _aloud_lines(rule_alouds: Iterable[RuleAloud]) -> Iterator[str]:
    """Lines on each rule of the policy as a sentence."""
    rules = tuple(rule_alouds)
    for rule in rules:
        ids = f"  {', '.join(rule.requirements)}" if rule.requirements else ""
        yield f"{paint(rule.name, Tone.TITLE)}{ids}"
        yield f"  {one_line(rule.sentence)}"
    if not rules:
        yield "The policy has no rule."


def _fact_lines(rules: Rules) -> Iterator[str]:
    """Lines on the facts that conditions of a rule may use, and the relations on them."""
    for fact in rules.facts().values():
        path = f"any|every {fact.path}" if fact.of else fact.path
        relations = ", ".join(relation.words for relation in fact.relations)
        yield one_line(f"{path}: {fact.type.kind.value}; {relations}")


def _built_lines(rule_preview: RulePreview) -> Iterator[str]:
    """Lines on a rule that is built: the rule aloud, its text, its clauses, and the decisions it changes."""
    yield one_line(rule_preview.sentence)
    yield ""
    yield from map(clean, rule_preview.rule.split("\n"))
    yield from (f"clause  {one_line(clause)}" for clause in rule_preview.clauses)
    yield from contradiction_lines(rule_preview.contradictions)
    yield ""
    yield from change_lines(rule_preview.change)
