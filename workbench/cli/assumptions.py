"""The command ``assumptions``: the assumptions about a request."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.cli.open_session import reading
from workbench.cli.output import paint, tell
from workbench.cli.parameters import AsJson, ReplayCalls, SessionPath
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.results import Assumed

# The number of characters of a sentence that are shown.
LONGEST = 110
_MOST_HELD = 3


def assumptions(session: SessionPath, replay_calls: ReplayCalls = False, as_json: AsJson = False) -> int:
    """List what is assumed, by whom, and what it touches.

    'workbench answer' changes an assumption or takes it back; its --preview shows first what that changes.
    """
    with reading(session, replay_calls=replay_calls) as bench:
        assumed = bench.questions.assumed(bench.questions.understand())
    lines = [line for item in assumed for line in assumed_lines(item, session)]
    nothing = "Nothing is assumed yet; each answer to a question becomes an assumption."
    tell(assumed, lines or [nothing], as_json=as_json)
    return 0


def assumed_lines(item: Assumed, session: Path) -> Iterator[str]:
    """Lines on an assumption: who made it, what depends on it, and how to change it."""
    from workbench.app.clause_findings import LAPSED, has_lapsed

    assumption = item.assumption
    yield paint(one_line(assumption.statement), Tone.TITLE)
    when = f" on {assumption.when}" if assumption.when else ""
    yield f"  made by {assumption.made_by}{when}, answering {one_line(assumption.question)}"
    if assumption.why:
        yield f"  {one_line(assumption.why)}"
    for sentence in item.sentences:
        names = ", ".join(sentence.requirements)
        text = textwrap.shorten(one_line(sentence.text), LONGEST, placeholder=" …")
        yield f"  touches {names}, line {sentence.span.line}: {text}"
    if item.lost:
        yield paint(f"  not in force: {one_line(item.lost)}", Tone.WARN)
    elif item.question is None and has_lapsed(assumption, ()):
        yield paint(f"  {LAPSED}", Tone.WARN)
    elif item.holds:
        few, more = ", ".join(item.holds[:_MOST_HELD]), len(item.holds) - _MOST_HELD
        yield one_line(f"  holds in policy.py: {few}{f' and {more} more' if more > 0 else ''}")
    elif item.assumption.rests_on:
        yield "  in force: the rules stand that it was about"
    elif item.question is None:
        yield paint("  The request asks this no more; the assumption changes nothing.", Tone.WARN)
    change = shlex.join(["workbench", "answer", str(session), assumption.question])
    if item.question is not None:
        from workbench.question_wording import own_answer

        other_answers = [option.value for option in item.question.options if option.value != assumption.value]
        own = own_answer(item.question.kind) or '"your own words"'
        other_answers += [own] if item.question.free_text else []
        if other_answers:
            values = one_line(", ".join(other_answers))
            yield f"  change: {one_line(change)} VALUE --preview, with VALUE one of: {values}"
    yield f"  remove: {one_line(change)} --retract"
