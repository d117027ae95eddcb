"""The command ``overlaps``: a comparison of several policies for one agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import one_line
from workbench.cli.open_session import reading_all
from workbench.cli.output import paint, tell
from workbench.cli.parameters import AsJson, SessionPath
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.policy import PolicyOverlap


def overlaps(
    session: SessionPath,
    others: Annotated[
        list[Path], typer.Argument(metavar="OTHER...", help="Sessions whose policies guard the same agent.")
    ],
    as_json: AsJson = False,
) -> int:
    """Find where policies for one agent conflict or overlap.

    A conflict is an input that one policy's contract wants allowed, or its rule permits, and another policy
    denies. Proved over all inputs. Exits with 1 if there is a conflict, or something is not decided.
    """
    with reading_all([session, *others]) as benches:
        first, *other_policies = [bench.policy for bench in benches]
        policy_overlaps = first.overlaps(other_policies)
        words = first.words
        for policy in other_policies:
            words = words.joined(policy.words)
    tell(policy_overlaps, map(words.said, _lines(policy_overlaps)), as_json=as_json, words=words)
    return 1 if any(overlap.relation in ("conflict", "unknown") for overlap in policy_overlaps) else 0


def _lines(policy_overlaps: tuple[PolicyOverlap, ...]) -> Iterator[str]:
    from workbench.app.value_texts import arguments_words

    if not policy_overlaps:
        yield "No conflict and no overlap, by proof."
    for overlap in policy_overlaps:
        tone = {"conflict": Tone.BAD, "unknown": Tone.WARN}.get(overlap.relation, Tone.MUTED)
        yield paint(
            one_line(f"{overlap.relation}: {overlap.policy} {overlap.part} and {overlap.other}"), tone
        )
        yield f"  {one_line(overlap.says)}"
        if overlap.why:
            yield f"  {one_line(overlap.why)}"
            continue
        by = f"by {', '.join(overlap.rules)}" if overlap.rules else "as nothing permits it"
        word = "denies all of it" if overlap.relation == "covered" else "denies"
        example = arguments_words(overlap.decisive_arguments or {})
        yield f"  {one_line(f'{overlap.other} {word} {by}, such as {example}')}"
