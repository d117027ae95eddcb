"""Origins of an argument's value: the characters of the log, and who could change them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from workbench.model import TOOL_ARGUMENT, Argument, Extracted, Provenance, RecordedCall, Value
from workbench.policy.written import ArgumentWords, is_of_run
from workbench.runs.replay.further_calls import classes_of_calls
from workbench.runs.replay.passing_time import is_clock
from workbench.runs.replay.shown_value import shown_value
from workbench.runs.replay.turning_values import Reach
from workbench.runs.world.facts import RecordState

_QUOTED = 120
_MOST_QUOTES = 20
_CALL_TEXTS = ("arguments", "agent_output", "assistant")
_TOOL_TEXTS = ("tool",)
_ORIGINS = ".source"


@dataclass(frozen=True, slots=True)
class Quote:
    """Characters of the log that a value came from: text and line (from 1) of the call, offsets, and they.

    ``call`` is the index of the earlier call of the run whose text it is; None for the call's own text.
    """

    text: str
    line: int
    start: int
    end: int
    quote: str
    call: int | None = None

    @property
    def place(self) -> str:
        """The place of the characters, and the characters."""
        text = self.text if self.call is None else f"{self.text} of call {self.call}"
        return f'{text}, line {self.line}: "{self.quote}"'


@dataclass(frozen=True, slots=True)
class Origin:
    """An argument with its value, or why there is none, and the characters it came from.

    ``reach`` says who can change it; ``confidence`` is in [0, 1]. ``items`` has the quotes for each element
    of a set and for each field of a record. ``state`` is the state of a record: known, or absent.
    ``expression`` is the expression of a policy of calls that the argument stands for.
    """

    name: str
    value: Value
    missing: str | None
    method: str
    quotes: tuple[Quote, ...]
    confidence: float
    reach: Reach
    items: Mapping[str, tuple[Quote, ...]] = field(default_factory=dict[str, tuple[Quote, ...]])
    state: str = ""
    expression: str = ""

    @property
    def text(self) -> str:
        """The value in words, or why there is none."""
        if self.missing is not None:
            return f"missing: {self.missing}"
        there_is_none = ", there is none" if self.state == RecordState.ABSENT else ""
        return f"{shown_value(self.value)}{there_is_none}"


def origin_of(
    call: RecordedCall,
    name: str,
    extracted: Extracted,
    declared: Argument | None,
    run: Mapping[int, RecordedCall] = MappingProxyType({}),
) -> Origin:
    """The origin of one extracted argument; ``declared`` is its declaration, if there is one.

    ``run`` has the calls of the run by index; a record may come from their results.
    """
    method = extracted.provenance[0].method if extracted.provenance else ""
    confidence = min((entry.confidence for entry in extracted.provenance), default=1.0)
    quotes = tuple(_quotes(call, extracted.provenance, run))
    items = {item: tuple(_quotes(call, places, run)) for item, places in extracted.items.items()}
    reach = reach_of(declared, extracted)
    expressions = ArgumentWords(() if declared is None else (declared,)).expressions
    return Origin(
        name,
        extracted.value,
        extracted.missing,
        method,
        quotes,
        confidence,
        reach,
        items,
        extracted.state,
        expressions.get(name, ""),
    )


def reach_of(declared: Argument | None, extracted: Extracted) -> Reach:
    """Who can change an argument: by the texts that its value came from, else by its expression.

    The agent can change what it wrote (the call's arguments, code, its own output), and so the origins of a
    value that it wrote; it can look up an unknown record, and make a call that a rule asks for. Time passes.
    Every other text (context, the user's words, earlier results) is given to it, and so is the value of any
    other expression over the run, whatever of the call is in it.
    """
    words = ArgumentWords(() if declared is None else (declared,))
    is_expression = bool(words)
    if extracted.look_up is not None and (extracted.missing is None or is_expression):
        return Reach.LOOK_UP
    if is_clock(declared):
        return Reach.TIME
    if expression := next(filter(is_of_run, words.expressions.values()), ""):
        if expression.endswith(_ORIGINS):
            return Reach.CALL
        is_so = extracted.missing is None and extracted.value is True
        return Reach.EARLIER if classes_of_calls(expression) and not is_so else Reach.GIVEN
    texts = {entry.text for entry in extracted.provenance if entry.text}
    if not texts and declared is not None and (is_expression or declared.name == TOOL_ARGUMENT):
        return Reach.CALL if is_expression else Reach.TOOL
    if texts and all(text.split(".")[0] in _TOOL_TEXTS for text in texts):
        return Reach.TOOL
    if texts and all(text.split(".")[0] in (*_CALL_TEXTS, *_TOOL_TEXTS) for text in texts):
        return Reach.CALL
    return Reach.GIVEN


def _quotes(
    recorded_call: RecordedCall, provenance: Iterable[Provenance], run: Mapping[int, RecordedCall]
) -> Iterator[Quote]:
    spans = dict.fromkeys((entry.call, entry.text, span) for entry in provenance for span in entry.spans)
    for call, name, span in list(spans)[:_MOST_QUOTES]:
        is_of_this_call = call is None or call == recorded_call.index
        source = recorded_call if is_of_this_call else run.get(call or 0)
        if source is None:
            continue
        whole = source.texts.get(name, "")
        characters = whole[span.start : span.end]
        short = characters if len(characters) <= _QUOTED else characters[: _QUOTED - 3] + "..."
        yield Quote(name, span.line, span.start, span.end, short, None if is_of_this_call else call)
