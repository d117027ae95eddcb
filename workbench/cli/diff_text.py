"""The output about a change of a policy, for people and programs: regions by proof, calls by replay."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from workbench.clean_text import clean, counted, one_line
from workbench.cli.output import paint
from workbench.cli.report_text import arguments_text
from workbench.model import NEWLY, Verdict
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.results import PolicyChange, RecordedRegion, RuleChange
    from workbench.app.value_texts import ArgumentWords
    from workbench.model import Assumption

SHOWN = 12
_MOST_REASONS = 3
_QUOTED = re.compile(r'"[^"]*"')


def change_lines(policy_change: PolicyChange) -> Iterator[str]:
    """The whole change as plain lines."""
    if policy_change.as_if:
        yield paint(one_line(policy_change.as_if), Tone.WARN)
    yield from _difference_lines(policy_change)
    if policy_change.flips:
        yield f"In the logs: {_buckets(policy_change)}"
    yield from _why_not_evaluated(policy_change)
    for flip in policy_change.changed[:SHOWN]:
        yield f"  {one_line(flip.new.run)} call {flip.new.index}  {flip.kind}: {one_line(flip.text)}"
    left = len(policy_change.changed) - SHOWN
    if left > 0:
        yield f"  and {left} more; --json lists them"


def _why_not_evaluated(policy_change: PolicyChange) -> Iterator[str]:
    """Why recorded calls cannot be evaluated by the new rules alone, the most frequent reasons first."""
    cannot = [
        flip.new.decision
        for flip in policy_change.flips
        if flip.new.decision.verdict is Verdict.CANNOT_EVALUATE is not flip.old.decision.verdict
    ]
    by_form: dict[str, list[str]] = {}
    for one in cannot:
        reason = one_line(one.reasons[0] if one.reasons else "nothing says why")
        by_form.setdefault(_QUOTED.sub("", reason), []).append(reason)
    for reasons in sorted(by_form.values(), key=len, reverse=True)[:_MOST_REASONS]:
        such = ", such as" if len(reasons) > 1 else ""
        yield f"  {counted(len(reasons), 'call')} cannot be evaluated{such}: {reasons[0]}"
    if len(by_form) > _MOST_REASONS:
        yield f"  and for {counted(len(by_form) - _MOST_REASONS, 'other reason')}"


def rule_lines(
    changes: Iterable[RuleChange], said_before: Mapping[str, str], said_after: Mapping[str, str]
) -> Iterator[str]:
    """The rules that differ, as text and as sentences; the mappings have sentences by names of rules."""
    for rule in changes:
        yield f"Rule {one_line(rule.name)}"
        was, now = said_before.get(rule.name, ""), said_after.get(rule.name, "")
        if was and was != now:
            yield f"  said before: {one_line(was)}"
        if now and was != now:
            yield f"  says: {one_line(now)}"
        lines = difflib.unified_diff(rule.before.splitlines(), rule.after.splitlines(), n=1, lineterm="")
        yield from (f"  {clean(line)}" for line in list(lines)[2:] if not line.startswith("@@"))


def change_markdown(policy_change: PolicyChange) -> Iterator[str]:
    """The whole change as Markdown for a pull request; text of logs is written in code spans."""
    semantic = policy_change.semantic
    verdict = "decides the same on every input (proved)" if semantic.equivalent else "decides otherwise"
    yield "## What this change of the policy does"
    yield ""
    yield f"The new version **{verdict if semantic.equivalent is not None else 'could not be compared'}**."
    for verdict, words in NEWLY.items():
        regions = policy_change.regions(verdict)
        if regions:
            yield from ("", f"### {words.capitalize()}: {counted(len(regions), 'region')}", "")
            yield "| where | example | old rules | new rules | in the logs |"
            yield "| --- | --- | --- | --- | --- |"
            yield from (_region_row(policy_change, region) for region in regions)
    if semantic.unknown:
        yield from ("", f"Not decided: {_code(semantic.unknown)}")
    yield from (f"\nNote: {_code(item)}" for item in semantic.notes)
    if policy_change.flips:
        yield from ("", f"### Recorded calls: {_buckets(policy_change)}")
        if policy_change.changed:
            yield from ("", "| run | call | change |", "| --- | --- | --- |")
        for flip in policy_change.changed[: 4 * SHOWN]:
            was = one_line(flip.text) if flip.turns else _code(flip.text)
            yield f"| {_code(flip.new.run)} | {flip.new.index} | {flip.kind}: {was} |"


def _difference_lines(change: PolicyChange) -> Iterator[str]:
    """Every region that the policies decide differently, with a concrete input."""
    semantic_diff = change.semantic
    if semantic_diff.equivalent:
        yield paint("Both policies decide the same on every input.", Tone.GOOD)
    listed = change.regions(*NEWLY)
    for item in listed[:SHOWN]:
        yield paint(NEWLY[item.region.new], Tone.BAD if item.region.new is Verdict.DENY else Tone.WARN)
        yield from _region_lines(item, change.words)
        if change.flips and (place := _place(item)):
            yield f"  logs     {place}"
    left = len(listed) - SHOWN
    if left > 0 or semantic_diff.more:
        yield f"and {max(left, 1)}{' or more' if semantic_diff.more else ''} others; --json lists them"
    if semantic_diff.unknown:
        yield paint(f"Not decided: {one_line(semantic_diff.unknown)}", Tone.WARN)
    yield from (f"note: {one_line(note)}" for note in semantic_diff.notes)


def _buckets(policy_change: PolicyChange) -> str:
    return ", ".join(
        f"{count} {kind.replace('-', ' ')}" for kind, count in policy_change.buckets.items() if count
    )


def _region_lines(recorded_region: RecordedRegion, words: ArgumentWords) -> Iterator[str]:
    region = recorded_region.region
    if (where := _where(recorded_region, words)) and region.where != region.witness:
        yield f"  where    {where}"
    yield f"  example  {_example(recorded_region, words)}"
    yield f"  old      {_rules(region.old_rules)}"
    yield f"  new      {_rules(region.new_rules)}"


def _where(recorded_region: RecordedRegion, words: ArgumentWords) -> str:
    """The values and bounds that all inputs of a region have in common; empty if there are none."""
    region = recorded_region.region
    where = [arguments_text(region.where, words)] if region.where else []
    return ", ".join((*where, *region.bounds))


def _example(recorded_region: RecordedRegion, words: ArgumentWords) -> str:
    """The arguments of a region's example on which the two decisions depend."""
    region = recorded_region.region
    possible = " (possible, not realised by a run)" if region.realised is False else ""
    return (arguments_text(region.decisive_arguments, words) or "any input") + possible


def _place(recorded_region: RecordedRegion) -> str:
    """The call of the logs that lies in a region; empty where that is not known."""
    call = recorded_region.recorded
    if call is None:
        return "no recorded call lies here" if recorded_region.placed else ""
    return f"{one_line(call.run)} call {call.index}"


def _region_row(change: PolicyChange, recorded_region: RecordedRegion) -> str:
    region = recorded_region.region
    where = _code(_where(recorded_region, change.words)) or "everywhere"
    is_known = change.flips and recorded_region.placed
    logs = _code(_place(recorded_region)) if recorded_region.recorded else "none" if is_known else "-"
    rules = (_rules(region.old_rules), _rules(region.new_rules))
    cells = (where, _code(_example(recorded_region, change.words)), *rules, logs)
    return f"| {' | '.join(cells)} |"


def _rules(names: tuple[str, ...]) -> str:
    return f"{', '.join(names)} fired" if names else "no rule fired"


def _code(text: str) -> str:
    """Outside text as a code span; no character of the text can end the span."""
    span_text = one_line(text).replace("`", "'").replace("|", "\\|")
    return f"`{span_text}`" if span_text else ""


def dropped_lines(dropped: Iterable[Assumption]) -> Iterator[str]:
    """A line on each answer that an act left nothing to rest on."""
    for one in dropped:
        said = one_line(one.statement or one.value)
        yield f"Dropped the answer to {one_line(one.question)}, as its rules are said anew: {said}"
