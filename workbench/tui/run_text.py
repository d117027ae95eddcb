"""A call of a run as text: its entry in the log with marked arguments, and why it is decided as it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from workbench.app.session_state import SessionState
from workbench.app.value_texts import OWN_NAMES, ArgumentWords, undetermined_words
from workbench.clean_text import in_a_row, one_line
from workbench.model import FACTS, TOOL_ARGUMENT, CallDecision, Extracted, Provenance, RecordedCall, Verdict
from workbench.tones import Tone
from workbench.tui.text_runs import Line, TextRun, fit, fit_middle, line, muted, strong, warn, width_of, wrap
from workbench.tui.verdict_signs import VERDICT_WORD, verdict_run
from workbench.tui.widgets.lines import BLANK, MOST_WORDS, Row, fitted, paragraph, value_text

if TYPE_CHECKING:
    from workbench.app.guardagent_calls import GuardAgentCall
    from workbench.app.runs import CallExplanation
    from workbench.model import PathRule


MOST_MESSAGE = 60
"""The most lines that are shown of a message near the chosen call."""
UNSAID = frozenset({"arguments", "tool", "context", "result", "first_user", "all_user", FACTS})
"""Texts of a call that are parts of the call itself, or repeat earlier messages."""
MOST_RESULT = 8
GUARDED = "guardagent"
"""The key of the line with GuardAgent's decision on a call."""
HANG, ROOMY = 12, 60
"""The indent of the lines of a wrapped call, past its verdict, and the width from which on it is so."""
MOST_CALLS = 200
"""The number of calls of a long run that are shown before and after the chosen one."""


def call_line(state: SessionState, position: int, width: int, before: int | None = None) -> Line:
    """A call in one line: the verdict, its number, and the call.

    The run's name is at its end, unless the call ``before``, above it in a list, has the same run.
    """
    call, decided = _call(state, position)
    head = line(_padded(decided.decision.verdict), muted(f"{call.index:>3}  "))
    room = max(width - width_of(head), 8)
    assert state.logs is not None
    if before is not None and state.logs.calls[before].run == call.run:
        return (*head, TextRun(fit(short_call(call), room)))
    name = one_line(call.run)
    name = fit_middle(name, min(len(name), 18, room // 2))
    return (*head, TextRun(fit(short_call(call), room - width_of((TextRun(name),)) - 1)), muted(f" {name}"))


def short_call(call: RecordedCall) -> str:
    """The call without the names of its arguments; the values are enough to distinguish calls."""
    if call.arguments is None:
        return call_text(call)
    values = ", ".join(one_line(str(value))[:80] for value in call.arguments.values())
    return f"{call.tool or 'action'} {values}".rstrip()


def call_text(call: RecordedCall) -> str:
    """The call as a person reads it."""
    if call.arguments is None:
        return f"{call.tool or 'no tool'}(arguments not in the log)"
    arguments = ", ".join(f"{name}={one_line(str(value))}" for name, value in call.arguments.items())
    return f"{call.tool or 'action'}({arguments})"


def undecided_words(state: SessionState) -> str:
    """The reason why calls are not decided, or not yet; empty if they are."""
    if state.logs is None:
        return "Reading the logs."
    if state.terms is None:
        return "No call is decided while the policy has problems; P shows them."
    if not state.logs.calls:
        return "There is no recorded run yet. In Runs (R) o opens a log, F follows one as it grows."
    return ""


def call_rows(state: SessionState, positions: Sequence[int]) -> Iterator[Row]:
    """Calls as rows, one line each."""
    for position, before in zip(positions, (None, *positions), strict=False):
        yield fitted(partial(call_line, state, position, before=before), f"call:{position}")


def run_rows(
    state: SessionState, position: int, why: CallExplanation | None, guarded: GuardAgentCall | None
) -> Iterator[Row]:
    """Rows of the run around a call: messages, each call with its verdict, and the chosen call whole."""
    assert state.logs is not None
    name = state.logs.calls[position].run
    run = next((run for run in state.logs.runs if run.id == name), None)
    place = "" if run is None else one_line(f"{PurePath(run.path).name} {run.locator}")
    yield paragraph(strong(one_line(name)), muted(f"  {place}"), hang=2)
    text_by_name: dict[str, str] = {}
    whole = state.run_of(position)
    for at in range(max(whole.start, position - MOST_CALLS), min(whole.stop, position + MOST_CALLS + 1)):
        for name, text in new_messages(state.logs.calls[at], text_by_name):
            label, near = f"{name.replace('_', ' ')[:9]:<10}", abs(at - position) <= 1
            yield paragraph(muted(label), text, hang=10, most=MOST_MESSAGE if near else 2)
        if at == position:
            yield from whole_call_rows(state, at, why, guarded)
        else:
            yield fitted(partial(_other_call, state, at), f"call:{at}")


def new_messages(call: RecordedCall, text_by_name: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The new messages before a call, by name; ``text_by_name`` has the last ones, and is updated."""
    for name, text in call.texts.items():
        is_message = name.partition(".")[0] not in UNSAID  # and no part of the call itself
        if is_message and text.strip() and text_by_name.get(name) != text:
            yield name, text
        text_by_name[name] = text


def _other_call(state: SessionState, position: int, width: int) -> Line:
    """A call of the run other than the chosen one: one line with its verdict."""
    call, decided = _call(state, position)
    words = fit(call_text(call), max(width - 12, 8))
    return line(muted(f"{call.index:>4} "), _padded(decided.decision.verdict), words)


def _padded(verdict: Verdict) -> TextRun:
    run = verdict_run(verdict)
    return TextRun(run.text.ljust(7), run.tone)


def whole_call_rows(
    state: SessionState,
    position: int,
    why: CallExplanation | None = None,
    guarded: GuardAgentCall | None = None,
) -> Iterator[Row]:
    """Rows of a whole call: call and result with marked arguments, the decision, the arguments' sources."""
    call, decided = _call(state, position)
    marks = _marked_places(decided.extracted.values()).get("arguments", [])
    content = line(
        TextRun("▸", Tone.ACCENT),  # distinguishes it from the calls around it
        muted(f"{call.index:>3} "),
        _padded(decided.decision.verdict),
        strong(f"{call.tool or 'action'} "),
        _marked_text(call.texts.get("arguments", ""), marks),
        muted(f"  {call.time}" if call.time else ""),
    )

    def lines(width: int) -> Sequence[Line]:
        return wrap(content, width, HANG if width >= ROOMY else 5)

    yield Row(lines, f"call:{position}")
    yield from _decision(state, decided)
    if guarded is not None:
        verdict = guarded.guarded.decision.verdict
        agrees = verdict is decided.decision.verdict
        agreement = muted("  as the policy") if agrees else warn("  the policy disagrees")
        yield _item("GuardAgent ", verdict_run(verdict), agreement, key=GUARDED)
    if why is not None:
        yield from why_rows(state, why)
        yield from _arguments(decided, state.words, frozenset(why.idle))
    if call.result is not None:
        words = muted(f"↳ {'an error: ' if call.failed else ''}")
        yield paragraph(words, call.result, hang=2, most=MOST_RESULT)
    if why is None:
        yield from _arguments(decided, state.words)
    if call.facts:
        facts = ", ".join(f"{name} {one_line(str(value))[:60]}" for name, value in call.facts.items())
        yield _item(muted(f"known after the run only: {facts}"))
    yield BLANK


def _call(state: SessionState, position: int) -> tuple[RecordedCall, CallDecision]:
    assert state.logs is not None
    return state.logs.calls[position], state.decisions[position]


def _decision(state: SessionState, decided: CallDecision) -> Iterator[Row]:
    """Rows of the rules that fired with their messages, or of the reason why there is no decision."""
    rules = {} if state.terms is None else {rule.name: rule for rule in state.terms.rules}
    for violation in decided.decision.violations:
        rule, message = rules.get(violation.rule), one_line(violation.message or violation.rule)
        names = ", ".join(rule.requirements) if rule is not None else ""
        yield paragraph(
            TextRun(f"{names} ", Tone.ACCENT), message, key=f"rule:{violation.rule}", indent=2, hang=3
        )
    for reason in undetermined_words(decided.decision.reasons, state.words.noun):
        yield paragraph(warn(one_line(state.words.told(reason))), indent=2)
    if decided.decision.verdict is Verdict.CANNOT_EVALUATE and rules:
        yield paragraph(muted("f lets exactly this call run, whatever is not known of it"), indent=2)


def _arguments(decided: CallDecision, words_of: ArgumentWords, idle: Collection[str] = ()) -> Iterator[Row]:
    """Rows of the arguments with a value and where it came from, then the names of those without.

    Those that are ``idle`` are left out. Long conditions that do not hold stand together, and are cut.
    """
    without: list[str] = []
    false: list[str] = []
    for name, extracted in decided.extracted.items():
        words = words_of.of(name)
        if name in idle or (words_of and name == TOOL_ARGUMENT):  # the head of the call names the tool
            continue
        if extracted.missing is None and extracted.value in (None, frozenset(), (), ""):
            without.append(words)
        elif extracted.value is False and len(words) > MOST_WORDS:
            false.append(one_line(words, MOST_WORDS))
        else:
            value = _known(value_text(extracted.value), extracted.missing, "missing")
            source = _provenance_text(extracted.provenance)
            named = muted(f"{one_line(words, MOST_WORDS)} "), value, muted(source and f"  {source}")
            yield _item(*named, key=f"argument:{name}")
    if false:
        yield _item(muted(f"does not hold: {in_a_row(false)}"))
    if without:
        yield _item(muted(f"without a value: {', '.join(without)}"))


_item = partial(paragraph, indent=2, hang=2)


def _known(text: str, missing: str | None, lacking: str) -> TextRun:
    """A value, or why there is none."""
    if missing is not None:
        return warn(f"{lacking}: {one_line(missing)}")
    return TextRun(one_line(text), Tone.CODE)


# --- A text of a log in which the sources of values are marked

_EXPRESSION = "expression"
"""The method of a policy of calls: the expression itself stands before its places."""
_OWN = ("arguments", "tool")
"""The texts of a call that are shown with marks."""
_AROUND = 600
_WHOLE = 6000


def _provenance_text(places: Sequence[Provenance]) -> str:
    """The words for the source of a value."""
    words: list[str] = []
    for place in places[:3]:
        if place.call is None and place.text in _OWN and place.confidence == 1:
            continue  # it is marked in the call itself
        line_number = place.spans[0].line if place.spans else 1
        parts = (
            "" if place.method == _EXPRESSION else place.method,
            f"in {place.text}" if place.text else "",
            f"of call {place.call}" if place.call is not None else "",
            f"line {line_number}" if line_number > 1 else "",  # most texts have only one line
            f"({place.confidence:.0%} sure)" if place.confidence < 1 else "",
        )
        words.append(" ".join(filter(None, parts)))
    told = "; ".join(filter(None, words))
    return f"from {told}".replace("from in ", "in ", 1) if told else ""


def _marked_places(values: Iterable[Extracted]) -> dict[str, list[tuple[int, int]]]:
    """The ranges to mark in each text, of arguments and of the items of sets."""
    marks: dict[str, list[tuple[int, int]]] = {}
    for value in values:
        for place in (*value.provenance, *(item for items in value.items.values() for item in items)):
            if place.call is not None:
                continue  # the place is in a text of another call
            marks.setdefault(place.text, []).extend((span.start, span.end) for span in place.spans)
    return marks


def _marked_text(text: str, spans: Sequence[tuple[int, int]]) -> Line:
    """A text with its marked ranges; of a long one only the surroundings of the marks."""
    runs: list[TextRun] = []
    position = 0
    for start, end in sorted(spans):
        start, end = max(start, position), min(end, len(text))
        if start < end:
            runs += _between(text[position:start], first=position == 0, last=False)
            runs.append(TextRun(text[start:end], Tone.MARK))
            position = end
    return tuple(runs + _between(text[position:], first=position == 0, last=True))


def _between(text: str, *, first: bool, last: bool) -> list[TextRun]:
    """An unmarked stretch; the middle or the far end of a long one is left out, with a note."""
    if len(text) <= (_WHOLE if first and last else 2 * _AROUND):
        return [TextRun(text)]
    head = "" if first and not last else text[: _WHOLE if first else _AROUND]
    tail = "" if last else text[-_AROUND:]
    gone = len(text) - len(head) - len(tail)
    return [TextRun(head), muted(f" … {gone:,} characters left out … "), TextRun(tail)]


MOST = 200
"""The most characters that are shown of a difference between two calls, or of a change."""


def why_rows(state: SessionState, why: CallExplanation) -> Iterator[Row]:
    """Rows of the facts, the change that would turn the decision, the rules that fired, the nearest call."""
    fired = [rule for rule in why.path if rule.fired]
    for rule in fired:
        if rule.elements:
            named = TextRun(one_line(in_a_row(rule.elements), MOST), Tone.CODE)
            yield _item(strong("because of "), named, muted(f"  {rule.rule}"), key=f"rule:{rule.rule}")
    for part in why.parts:
        value = _known(one_line(part.value, MOST), part.missing, "not determined")
        yield _item(muted(f"{part.name} "), value)
    yield from _facts(why, {rule.rule for rule in fired})
    yield from _turning(why, state.words)
    if why.decision.verdict is not Verdict.ALLOW:
        yield _item(strong("the agent is told "), f"“{one_line(why.message)}”")
    for rule in fired or why.path:
        yield from rule_rows(rule, state.words)
    if why.nearest is not None:
        near = why.nearest.decided
        differ = "; ".join(one_line(state.words.told(change.text)) for change in why.nearest.changes)
        head = strong("nearest call that is "), verdict_run(near.decision.verdict)
        words = f" {one_line(near.run)} {near.index}", muted(f"  {one_line(differ, MOST)}")
        every = enumerate(state.decisions)
        places = (at for at, one in every if one.index == near.index and one.run == near.run)
        yield _item(*head, *words, key=next((f"call:{at}" for at in places), ""))
    if why.idle:
        yield _item(muted(f"plays no part: {state.words.told(', '.join(why.idle))}"))


def _facts(why: CallExplanation, fired: Set[str]) -> Iterator[Row]:
    """Rows of the facts that play a part: value and places, or what would tell them.

    Those that the rules read that ``fired`` are first.
    """
    facts = (fact for fact in why.facts if fact.name not in why.idle)
    for fact in sorted(facts, key=lambda one: fired.isdisjoint(one.rules)):
        key = f"rule:{fact.rules[0]}" if fact.rules else ""
        value = _known(fact.origin.text, fact.origin.missing, "not determined")
        yield _item(strong(f"{one_line(fact.noun or fact.name)} "), value, muted(f"  {fact.name}"), key=key)
        quoted = [quote.place for quote in fact.origin.quotes]
        calls = [f"{calls} of the run" for calls in fact.calls]
        for place in filter(None, dict.fromkeys((*quoted, *calls, fact.remedy))):
            yield paragraph(muted(one_line(place)), key=key, indent=4, hang=2)


def rule_rows(rule: PathRule, words: ArgumentWords = OWN_NAMES) -> Iterator[Row]:
    """Rows of a rule with its conditions: the text of each, and whether it holds."""
    fired = muted(f" {'fired' if rule.fired else 'did not fire'}")
    yield _item(TextRun(rule.rule, Tone.CODE), fired, key=f"rule:{rule.rule}")
    for text, truth in rule.conditions:
        so = TextRun("true   ", Tone.ACCENT) if truth else muted("false  ")
        yield paragraph(so, one_line(words.said(text)), indent=4, hang=7)


def _turning(why: CallExplanation, said: ArgumentWords) -> Iterator[Row]:
    """The smallest change to the other decision, and who can make it."""
    turned = why.turning.counterfactual
    if turned is None:
        opposite = "denied" if why.decision.verdict is Verdict.ALLOW else "allowed"
        proved = f"No call of this tool would be {opposite}, whatever its values (proved)."
        none = f"No smaller change was found that would be {opposite}."
        yield _item(muted(proved if why.turning.impossible else none))
        return
    about = " about" if turned.verdict is Verdict.ASK else ""
    head = f"to {VERDICT_WORD[turned.verdict]}{about} it: "
    for number, (text, who) in enumerate(turned.texts):
        yield _item(strong("and " if number else head), one_line(said.told(text), MOST), muted(f"  ({who})"))
