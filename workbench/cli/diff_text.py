"""The output about a change of a policy, for people and programs: regions by proof, steps by replay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.cli.output import Tone, paint
from workbench.cli.report_text import arguments_text, counted

if TYPE_CHECKING:
    from workbench.app.results import PolicyChange, RecordedRegion

SHOWN = 12


def change_lines(found: PolicyChange) -> Iterator[str]:
    """The whole change as plain lines."""
    yield from _difference_lines(found)
    if found.flips:
        yield f"In the logs: {_buckets(found)}"
    for flip in found.changed[:SHOWN]:
        yield f"  {one_line(flip.new.run)} call {flip.new.index}  {flip.kind}: {one_line(flip.text)}"
    left = len(found.changed) - SHOWN
    if left > 0:
        yield f"  and {left} more; --json lists them"


def change_markdown(found: PolicyChange) -> Iterator[str]:
    """The whole change as Markdown for a pull request; text of logs stands in code spans."""
    semantic = found.semantic
    verdict = "decides the same on every input (proved)" if semantic.equivalent else "decides otherwise"
    yield "## What this change of the policy does"
    yield ""
    yield f"The new version **{verdict if semantic.equivalent is not None else 'could not be compared'}**."
    for title, regions in (
        ("Newly allowed", found.regions(allowed=True)),
        ("Newly denied", found.regions(allowed=False)),
    ):
        if regions:
            yield from ("", f"### {title}: {counted(len(regions), 'region')}", "")
            yield "| where | example | old rules | new rules | in the logs |"
            yield "| --- | --- | --- | --- | --- |"
            yield from (_region_row(found, region) for region in regions)
    if semantic.unknown:
        yield from ("", f"Not decided: {_code(semantic.unknown)}")
    yield from (f"\nNote: {_code(item)}" for item in semantic.notes)
    if found.flips:
        yield from ("", f"### Recorded steps: {_buckets(found)}")
        if found.changed:
            yield from ("", "| run | call | change |", "| --- | --- | --- |")
        for flip in found.changed[: 4 * SHOWN]:
            was = one_line(flip.text) if flip.turns else _code(flip.text)
            yield f"| {_code(flip.new.run)} | {flip.new.index} | {flip.kind}: {was} |"


def _difference_lines(change: PolicyChange) -> Iterator[str]:
    """Every region that one of the policies allows and the other denies, with a concrete input."""
    found = change.semantic
    if found.equivalent:
        yield paint("Both policies decide the same on every input.", Tone.GOOD)
    listed = (*change.regions(allowed=True), *change.regions(allowed=False))
    for item in listed[:SHOWN]:
        yield paint("newly allowed", Tone.WARN) if item.region.allowed else paint("newly denied", Tone.BAD)
        yield from _region_lines(item)
        if change.flips:
            yield f"  logs     {_place(item)}"
    left = len(listed) - SHOWN
    if left > 0 or found.more:
        yield f"and {max(left, 1)}{' or more' if found.more else ''} others; --json lists them"
    if found.unknown:
        yield paint(f"Not decided: {one_line(found.unknown)}", Tone.WARN)
    yield from (f"note: {one_line(note)}" for note in found.notes)


def _buckets(found: PolicyChange) -> str:
    return ", ".join(f"{count} {kind.replace('-', ' ')}" for kind, count in found.buckets.items() if count)


def _region_lines(found: RecordedRegion) -> Iterator[str]:
    region = found.region
    if (where := _where(found)) and region.where != region.witness:
        yield f"  where    {where}"
    yield f"  example  {_example(found)}"
    yield f"  old      {_rules(region.old_rules)}"
    yield f"  new      {_rules(region.new_rules)}"


def _where(found: RecordedRegion) -> str:
    """What every input of a region has in common; empty where that is nothing."""
    region = found.region
    return ", ".join((*([arguments_text(region.where)] if region.where else []), *region.bounds))


def _example(found: RecordedRegion) -> str:
    """An input of the region, as far as the two decisions rest on it."""
    return arguments_text(found.region.matters) or "any input"


def _place(found: RecordedRegion) -> str:
    call = found.recorded
    return f"{one_line(call.run)} call {call.index}" if call else "no recorded call lies here"


def _region_row(change: PolicyChange, found: RecordedRegion) -> str:
    region = found.region
    where = _code(_where(found)) or "everywhere"
    logs = _code(_place(found)) if found.recorded else "none" if change.flips else "-"
    rules = (_rules(region.old_rules), _rules(region.new_rules))
    cells = (where, _code(_example(found)), *rules, logs)
    return f"| {' | '.join(cells)} |"


def _rules(names: tuple[str, ...]) -> str:
    return f"{', '.join(names)} fired" if names else "no rule fired"


def _code(text: str) -> str:
    """Outside text as a code span that nothing in it can end."""
    plain = one_line(text).replace("`", "'").replace("|", "\\|")
    return f"`{plain}`" if plain else ""
