"""The texts that show the values of arguments: in words, as literals of the dialect, as durations."""

from workbench.check.realise.run_words import run_words
from workbench.clean_text import clean
from workbench.guard import ToolCall
from workbench.guard.log import arguments_text
from workbench.guard.strategy import undetermined_words
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
    "duration_of",
    "duration_text",
    "few_of",
    "literal",
    "run_words",
    "undetermined_words",
    "value_words",
    "without_empty",
]


def call_arguments(call: ToolCall) -> str:
    """The arguments of a call as a line of JSON; ``?`` where they are unknown or JSON cannot hold them."""
    text = arguments_text(call)
    return "?" if text is None else clean(text)
