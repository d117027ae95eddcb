"""The reason of a decision on a call, and the values that would change it, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from workbench.app.value_texts import OWN_NAMES, ArgumentWords
from workbench.clean_text import in_a_row, one_line
from workbench.model import Verdict
from workbench.tones import Tone
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import paragraph
from workbench.tui.verdict_signs import VERDICT_WORD, verdict_run
from workbench.tui.widgets.lines import Row

if TYPE_CHECKING:
    from workbench.app.runs import CallExplanation
    from workbench.app.session_state import SessionState
    from workbench.model import PathRule

INDENT = 2
MOST = 200
"""The most characters that are shown of a difference between two calls, or of a change."""


def why_rows(state: SessionState, call_explanation: CallExplanation, width: int) -> list[Row]:
    """Rows of the facts, the change that would turn the decision, the rules that fired, the nearest call."""
    fired = [rule for rule in call_explanation.path if rule.fired]
    rows = [row for rule in fired for row in _because(rule, width)]
    rows += _parts(call_explanation, width)
    rows += _facts(call_explanation, {rule.rule for rule in fired}, width)
    rows += _turning(call_explanation, state.words, width)
    if call_explanation.decision.verdict is not Verdict.ALLOW:
        content = line(TextRun("the agent is told ", Tone.TITLE), f"“{one_line(call_explanation.message)}”")
        rows += paragraph(content, width, indent=INDENT, hang=2)
    for rule in fired or call_explanation.path:
        rows += rule_rows(rule, width, state.words)
    if call_explanation.nearest is not None:
        near = call_explanation.nearest.decided
        differ = "; ".join(
            one_line(state.words.told(change.text)) for change in call_explanation.nearest.changes
        )
        words = line(
            TextRun("nearest call that is ", Tone.TITLE),
            verdict_run(near.decision.verdict),
            f" {one_line(near.run)} {near.index}",
            muted(f"  {differ[:MOST]}{'…' if len(differ) > MOST else ''}"),
        )
        rows += paragraph(words, width, _key_of(state, near.run, near.index), indent=INDENT, hang=2)
    if idle := call_explanation.idle:
        rows += paragraph(
            line(muted(f"plays no part: {state.words.told(', '.join(idle))}")), width, indent=INDENT, hang=2
        )
    return rows


def _facts(call_explanation: CallExplanation, fired: Set[str], width: int) -> Iterator[Row]:
    """Rows of the facts that play a part: value and places, or what would tell them.

    Those that the rules read that ``fired`` are first.
    """
    for fact in sorted(call_explanation.facts, key=lambda one: fired.isdisjoint(one.rules)):
        if fact.name in call_explanation.idle:
            continue
        missing = fact.origin.missing
        value = (
            TextRun(one_line(fact.origin.text), Tone.CODE)
            if missing is None
            else TextRun(f"not determined: {one_line(missing)}", Tone.WARN)
        )
        head = line(
            TextRun(f"{one_line(fact.noun or fact.name)} ", Tone.TITLE), value, muted(f"  {fact.name}")
        )
        key = f"rule:{fact.rules[0]}" if fact.rules else ""
        yield from paragraph(head, width, key, indent=INDENT, hang=2)
        places = [quote.place for quote in fact.origin.quotes] + [
            f"{calls} of the run" for calls in fact.calls
        ]
        for place in dict.fromkeys((*places, fact.remedy)):
            if place:
                yield from paragraph(line(muted(one_line(place))), width, key, indent=INDENT + 2, hang=2)


def _parts(call_explanation: CallExplanation, width: int) -> Iterator[Row]:
    """Rows of the typed parts of the call, as a policy may read them."""
    for part in call_explanation.parts:
        missing = part.missing is not None
        value = f"not determined: {one_line(part.missing or '')}" if missing else one_line(part.value, MOST)
        head = line(muted(f"{part.name} "), TextRun(value, Tone.WARN if missing else Tone.CODE))
        yield from paragraph(head, width, indent=INDENT, hang=2)


def _because(rule: PathRule, width: int) -> Iterator[Row]:
    """Rows of the elements of the call because of which a rule fired."""
    if rule.elements:
        named = one_line(in_a_row(rule.elements), MOST)
        head = line(TextRun("because of ", Tone.TITLE), TextRun(named, Tone.CODE), muted(f"  {rule.rule}"))
        yield from paragraph(head, width, f"rule:{rule.rule}", indent=INDENT, hang=2)


def rule_rows(rule: PathRule, width: int, words: ArgumentWords = OWN_NAMES) -> Iterator[Row]:
    """Rows of a rule with its conditions: the text of each, and whether it holds."""
    outcome = "fired" if rule.fired else "did not fire"
    head = line(TextRun(rule.rule, Tone.CODE), muted(f" {outcome}"))
    yield from paragraph(head, width, f"rule:{rule.rule}", indent=INDENT, hang=2)
    for text, truth in rule.conditions:
        so = TextRun("true   " if truth else "false  ", Tone.ACCENT if truth else Tone.MUTED)
        yield from paragraph(line(so, one_line(words.said(text))), width, indent=INDENT + 2, hang=7)


def _turning(call_explanation: CallExplanation, said: ArgumentWords, width: int) -> Sequence[Row]:
    """The smallest change to the other decision, and who can make it."""
    turned = call_explanation.turning.counterfactual
    if turned is None:
        opposite = "denied" if call_explanation.decision.verdict is Verdict.ALLOW else "allowed"
        words = (
            f"No call of this tool would be {opposite}, whatever its values (proved)."
            if call_explanation.turning.impossible
            else f"No smaller change was found that would be {opposite}."
        )
        return paragraph(line(muted(words)), width, indent=INDENT, hang=2)
    about = " about" if turned.verdict is Verdict.ASK else ""
    head = f"to {VERDICT_WORD[turned.verdict]}{about} it: "
    rows: list[Row] = []
    for text, who in turned.texts:
        words = line(TextRun(head, Tone.TITLE), one_line(said.told(text), MOST), muted(f"  ({who})"))
        rows += paragraph(words, width, indent=INDENT, hang=2)
        head = "and "
    return rows


def _key_of(state: SessionState, run: str, index: int) -> str:
    """The key of a call in the logs; empty if it is not there."""
    positions = (
        position
        for position, decided in enumerate(state.decisions)
        if decided.index == index and decided.run == run
    )
    position = next(positions, None)
    return "" if position is None else f"call:{position}"
