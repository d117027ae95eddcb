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
    from workbench.app.policy import Meeting


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
        meetings = first.meetings(rest)
    if as_json:
        from workbench.app.json_output.results import MEETINGS

        write_json(MEETINGS.write(meetings))
    else:
        for line in _lines(meetings):
            write(line)
    return 1 if any(meeting.relation in ("conflict", "unknown") for meeting in meetings) else 0


def _lines(meetings: tuple[Meeting, ...]) -> Iterator[str]:
    from workbench.app.value_texts import arguments_words

    if not meetings:
        yield "No conflict and no overlap, by proof."
    for meeting in meetings:
        tone = {"conflict": Tone.BAD, "unknown": Tone.WARN}.get(meeting.relation, Tone.MUTED)
        yield paint(
            one_line(f"{meeting.relation}: {meeting.policy} {meeting.part} and {meeting.other}"), tone
        )
        yield f"  {one_line(meeting.says)}"
        if meeting.why:
            yield f"  {one_line(meeting.why)}"
            continue
        by = f"by {', '.join(meeting.rules)}" if meeting.rules else "as nothing permits it"
        word = "denies all of it" if meeting.relation == "covered" else "denies"
        example = arguments_words(meeting.matters or {})
        yield f"  {one_line(f'{meeting.other} {word} {by}, such as {example}')}"
