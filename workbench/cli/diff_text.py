"""What a person or a program reads about a change of a policy: regions by proof, steps by replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.cli.output import Tone, one_line, paint
from workbench.cli.report_text import arguments_text, counted
from workbench.runs.replay import FlipKind, place_to_json

if TYPE_CHECKING:
    from workbench.app.results import PolicyChange
    from workbench.engines.smt.diff import DifferingRegion
    from workbench.model import Decision, Json
    from workbench.runs.replay import Flip

SHOWN = 12


def change_json(found: PolicyChange) -> dict[str, Json]:
    """The regions of the semantic difference, and every recorded step that is decided otherwise.

    ``recorded`` is a step of the logs that lies in the region, null where none does.
    """
    from workbench.engines.smt.diff import region_json

    counts = Counter(flip.kind for flip in found.flips)
    regions: dict[str, Json] = {}
    for name, listed in (
        ("newly_allowed", found.semantic.newly_allowed),
        ("newly_denied", found.semantic.newly_denied),
    ):
        regions[name] = [{**region_json(region), "recorded": _place_json(found, region)} for region in listed]
    return {
        **found.semantic.to_json(),
        **regions,
        "replay": {
            "buckets": {kind.value: counts[kind] for kind in FlipKind},
            "changed": [
                {
                    **place_to_json(flip.new),
                    "bucket": flip.kind,
                    "old": flip.old.decision.verdict,
                    "new": flip.new.decision.verdict,
                    "rules": [violation.rule for violation in flip.new.decision.violations],
                }
                for flip in _changed(found)
            ],
        },
    }


def change_lines(found: PolicyChange) -> Iterator[str]:
    """The whole change as plain lines."""
    yield from _difference_lines(found)
    if found.flips:
        yield f"In the logs: {_buckets(found)}"
    for flip in _changed(found)[:SHOWN]:
        yield f"  {one_line(flip.new.run)}  {flip.new.index}  {flip.kind}: {_was(flip)}"
    left = len(_changed(found)) - SHOWN
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
        ("Newly allowed", semantic.newly_allowed),
        ("Newly denied", semantic.newly_denied),
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
        if _changed(found):
            yield from ("", "| run | step | change |", "| --- | --- | --- |")
        for flip in _changed(found)[: 4 * SHOWN]:
            was = _code(_was(flip)) if flip.kind is FlipKind.OTHER_RULE else _was(flip)
            yield f"| {_code(flip.new.run)} | {flip.new.index} | {flip.kind}: {was} |"


def _difference_lines(change: PolicyChange) -> Iterator[str]:
    """Every region that one of the policies allows and the other denies, with a concrete input."""
    found = change.semantic
    if found.equivalent:
        yield paint("Both policies decide the same on every input.", Tone.GOOD)
    listed = (*found.newly_allowed, *found.newly_denied)
    for region in listed[:SHOWN]:
        yield paint("newly allowed", Tone.WARN) if region.allowed else paint("newly denied", Tone.BAD)
        yield from _region_lines(region)
        if change.flips:
            yield f"  logs     {_place(change, region)}"
    left = len(listed) - SHOWN
    if left > 0 or found.more:
        yield f"and {max(left, 1)}{' or more' if found.more else ''} others; --json lists them"
    if found.unknown:
        yield paint(f"Not decided: {one_line(found.unknown)}", Tone.WARN)
    yield from (f"note: {one_line(note)}" for note in found.notes)


def _changed(found: PolicyChange) -> list[Flip]:
    return [flip for flip in found.flips if flip.kind is not FlipKind.SAME]


def _buckets(found: PolicyChange) -> str:
    counts = Counter(flip.kind for flip in found.flips)
    return ", ".join(f"{counts[kind]} {kind.value.replace('-', ' ')}" for kind in FlipKind if counts[kind])


def _was(flip: Flip) -> str:
    old, new = flip.old.decision, flip.new.decision
    if flip.kind is FlipKind.OTHER_RULE:
        return f"{old.verdict} by {_rules_of(old)} became {new.verdict} by {_rules_of(new)}"
    return f"{old.verdict} became {new.verdict}"


def _rules_of(decision: Decision) -> str:
    rules = [f"{one.rule}{_items(one.items)}" for one in decision.violations]
    return one_line(", ".join(rules or decision.permitted_by) or "no rule")


def _items(items: tuple[str, ...]) -> str:
    return f" ({', '.join(items[:5])}{', …' if len(items) > 5 else ''})" if items else ""


def _region_lines(region: DifferingRegion) -> Iterator[str]:
    if region.where and region.where != region.witness:
        yield f"  where    {arguments_text(region.where)}"
    yield f"  example  {arguments_text(region.witness)}"
    yield f"  old      {_rules(region.old_rules)}"
    yield f"  new      {_rules(region.new_rules)}"


def _recorded(found: PolicyChange, region: DifferingRegion) -> Flip | None:
    """A recorded step in a region: its example is one of the logs wherever the logs reach it."""
    for flip in _changed(found):
        arguments = flip.new.decision.arguments
        if flip.turns and arguments and arguments.items() <= region.witness.items():
            return flip
    return None


def _place(found: PolicyChange, region: DifferingRegion) -> str:
    flip = _recorded(found, region)
    return f"{one_line(flip.new.run)} step {flip.new.index}" if flip else "no recorded step lies here"


def _place_json(found: PolicyChange, region: DifferingRegion) -> Json:
    flip = _recorded(found, region)
    return place_to_json(flip.new) if flip else None


def _region_row(found: PolicyChange, region: DifferingRegion) -> str:
    where = _code(arguments_text(region.where)) if region.where else "everywhere"
    logs = _code(_place(found, region)) if _recorded(found, region) else "none" if found.flips else "-"
    rules = (_rules(region.old_rules), _rules(region.new_rules))
    cells = (where, _code(arguments_text(region.witness)), *rules, logs)
    return f"| {' | '.join(cells)} |"


def _rules(names: tuple[str, ...]) -> str:
    return f"{', '.join(names)} fired" if names else "no rule fired"


def _code(text: str) -> str:
    """Outside text as a code span that nothing in it can end."""
    plain = one_line(text).replace("`", "'").replace("|", "\\|")
    return f"`{plain}`" if plain else ""
