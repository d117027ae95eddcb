"""The command ``overlaps``: several policies for one agent beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import one_line
from workbench.cli.open_session import reading_all
from workbench.cli.output import Tone, paint, write, write_json
from workbench.cli.parameters import AsJson, SessionPath

if TYPE_CHECKING:
    from workbench.check.several import Meeting


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
        first, *rest = [bench.policy for bench in benches]
        found = first.meetings(rest)
    if as_json:
        from workbench.app.result_forms import MEETINGS

        write_json(MEETINGS.write(found))
    else:
        for line in _lines(found):
            write(line)
    return 1 if any(one.relation in ("conflict", "unknown") for one in found) else 0


def _lines(found: tuple[Meeting, ...]) -> Iterator[str]:
    from workbench.app.value_texts import arguments_words

    if not found:
        yield "No conflict and no overlap, by proof."
    for one in found:
        tone = {"conflict": Tone.BAD, "unknown": Tone.WARN}.get(one.relation, Tone.MUTED)
        yield paint(one_line(f"{one.relation}: {one.policy} {one.part} and {one.other}"), tone)
        yield f"  {one_line(one.says)}"
        if one.why:
            yield f"  {one_line(one.why)}"
            continue
        by = f"by {', '.join(one.rules)}" if one.rules else "as nothing permits it"
        word = "denies all of it" if one.relation == "covered" else "denies"
        yield f"  {one_line(f'{one.other} {word} {by}, such as {arguments_words(one.matters or {})}')}"
