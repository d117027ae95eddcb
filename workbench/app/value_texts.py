"""The texts that show calls and the values of their arguments: in words, as literals, as durations."""

from collections.abc import Sequence

from workbench.check.realise.run_words import run_words
from workbench.clean_text import clean, one_line
from workbench.guard import ToolCall
from workbench.guard.log import arguments_text
from workbench.guard.strategy import undetermined_words
from workbench.model import Provenance, RecordedCall
from workbench.policy.literals import literal
from workbench.policy.value_words import argument_words, arguments_words, few_of, value_words, without_empty
from workbench.policy.written import OWN_NAMES, ArgumentWords
from workbench.serialization.durations import duration_of, duration_text

__all__ = [
    "OWN_NAMES",
    "ArgumentWords",
    "argument_words",
    "arguments_words",
    "call_arguments",
    "call_text",
    "duration_of",
    "duration_text",
    "few_of",
    "literal",
    "run_words",
    "short_call",
    "source_words",
    "undetermined_words",
    "value_words",
    "without_empty",
]

_EXPRESSION = "expression"
"""The method of a policy of calls: the expression itself stands before its places."""
_OWN = ("arguments", "tool")
"""The texts of a call that are shown with the places in them marked."""


def call_arguments(call: ToolCall) -> str:
    """The arguments of a call as a line of JSON; ``?`` where they are unknown or JSON cannot hold them."""
    text = arguments_text(call)
    return "?" if text is None else clean(text)


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


def source_words(places: Sequence[Provenance]) -> str:
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
