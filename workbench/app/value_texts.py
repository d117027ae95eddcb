"""The texts that show the values of arguments: in words, as literals of the dialect, as durations."""

from workbench.check.realise.run_words import run_words
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
    "duration_of",
    "duration_text",
    "few_of",
    "literal",
    "run_words",
    "undetermined_words",
    "value_words",
    "without_empty",
]
