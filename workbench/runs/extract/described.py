"""The extraction methods and their options in words, for whoever lets a person choose among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class OptionKind(StrEnum):
    """What an option holds.

    ``texts`` is a list of texts, ``words`` a table of texts by name, ``value`` anything that JSON has.
    """

    TEXT = "text"
    TEXTS = "texts"
    NUMBER = "number"
    FLAG = "flag"
    WORDS = "words"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class DescribedOption:
    """An option of a method: its name, what it holds, what it means, and its words where it has a few."""

    name: str
    kind: OptionKind
    meaning: str
    choices: tuple[str, ...] = ()
    needed: bool = False


@dataclass(frozen=True, slots=True)
class DescribedMethod:
    """A method of extraction: its name, what it reads, and its own options."""

    name: str
    meaning: str
    options: tuple[DescribedOption, ...] = ()


def _text(name: str, meaning: str, *choices: str, needed: bool = False) -> DescribedOption:
    return DescribedOption(name, OptionKind.TEXT, meaning, choices, needed)


def _texts(name: str, meaning: str) -> DescribedOption:
    return DescribedOption(name, OptionKind.TEXTS, meaning)


def _number(name: str, meaning: str) -> DescribedOption:
    return DescribedOption(name, OptionKind.NUMBER, meaning)


def _flag(name: str, meaning: str) -> DescribedOption:
    return DescribedOption(name, OptionKind.FLAG, meaning)


def _words(name: str, meaning: str, *, needed: bool = False) -> DescribedOption:
    return DescribedOption(name, OptionKind.WORDS, meaning, needed=needed)


EVERY_METHOD = (
    _texts("tools", "the tools that have this argument; for others it is absent"),
    DescribedOption("elsewhere", OptionKind.VALUE, "the value for other tools, as JSON"),
    _number("confidence", "0 to 1; below it the value is missing"),
)
_TEXT = _texts("text", "the names of texts; the first that the step has counts")
_FIELD = _text("field", "only the value of its line FIELD: value")
_CODE = (
    _texts("modules", "listed modules that the code may import, or module.function"),
    _text("separator", "between conditions; || if not given"),
    _texts("operations", "words that may stand around or after a column"),
    _texts("outputs", "variables that leave the code; answer if not given"),
)
_QUERY = (
    _text("dialect", "sqlglot's name of the dialect; sqlite if not given"),
    _texts("constants", "names that the database fills in"),
    _text("bare_table", "what a whole table counts as", "all", "nothing"),
)

METHODS_DESCRIBED: tuple[DescribedMethod, ...] = (
    DescribedMethod(
        "jsonpath",
        "the value at a path into the call, its context or its result",
        (_text("path", "such as $.arguments.amount", needed=True),),
    ),
    DescribedMethod(
        "field",
        "the value of a line KEY: value in a text",
        (_TEXT, _text("key", "the argument's name if not given")),
    ),
    DescribedMethod(
        "regex",
        "what a pattern matches in a text",
        (
            _text("pattern", "a regular expression", needed=True),
            DescribedOption(
                "group", OptionKind.VALUE, "the number or name of a group; the first if not given"
            ),
            _flag("ignore_case", "whether case does not matter"),
            _TEXT,
            _FIELD,
        ),
    ),
    DescribedMethod(
        "vocabulary",
        "words of a closed list that stand in a text",
        (
            _text("vocabulary", "one of the agent's vocabularies; the argument's values if not given"),
            _texts("words", "the words, where they are not in a vocabulary"),
            _words("synonyms", "a line for each word: word: other, other"),
            _number("cutoff", "likeness from which a near word counts, 0 to 100"),
            _TEXT,
            _FIELD,
        ),
    ),
    DescribedMethod(
        "phrases",
        "the category whose phrases weigh most in a text",
        (
            _words("categories", "a line for each category: name: phrase, phrase", needed=True),
            _text("otherwise", "the category of a text without any phrase"),
            _number("gap", "other words that may stand inside a phrase; 2 if not given"),
            _TEXT,
            _FIELD,
        ),
    ),
    DescribedMethod(
        "nearest",
        "the value of the example that is most like the text",
        (
            _words("examples", "a line for each value: value: text, text"),
            _flag("memory", "whether the demonstrations of the session's memory are examples too"),
            _number("cutoff", "likeness below which the value is missing; 0.6 if not given"),
            _number("margin", "lead over another value's example; 0.05 if not given"),
            _TEXT,
            _FIELD,
        ),
    ),
    DescribedMethod(
        "embedding",
        "the value whose examples the text is most like in meaning, by a small local model",
        (
            _words("examples", "a line for each value: value: text, text"),
            _flag("memory", "whether the demonstrations of the session's memory are examples too"),
            _number("share", "the probability from which a set has a value; 0.3 if not given"),
            _TEXT,
            _FIELD,
        ),
    ),
    DescribedMethod(
        "sql",
        "the columns that a query reads",
        (*_QUERY, _TEXT, _FIELD),
    ),
    DescribedMethod(
        "code_columns",
        "the columns that Python or SQL reads",
        (
            _texts("table", "functions that load a table by its name"),
            _texts("conditions", "functions that filter a table by a text of conditions"),
            _texts("columns", "functions that read a column"),
            _texts("sql", "functions that run a query"),
            _texts("pure", "functions that touch no table"),
            *_QUERY,
            *_CODE,
            _TEXT,
            _FIELD,
        ),
    ),
    DescribedMethod(
        "python",
        "what the agent's code passes to a function",
        (
            _text("function", "the function", needed=True),
            _number("position", "which argument, from 0"),
            _text("name", "or the argument's name"),
            _texts("pure", "the other functions that the code may call"),
            _texts("modules", "modules that the code may import"),
            _TEXT,
            _FIELD,
        ),
    ),
    DescribedMethod(
        "history",
        "a fact about the earlier steps of the run",
        (
            _text("operation", "which fact", "count", "sum", "last", "ever", "seen"),
            _texts("of", "the tools that count; all if not given"),
            _text("path", "the value, for sum, last and seen"),
            _text("same", "only calls with this step's value at that path"),
            _text("pattern", "of seen: only what the first group matches in a result counts"),
            _flag("current", "whether this step counts too"),
        ),
    ),
    DescribedMethod(
        "constant",
        "the same value for every step",
        (DescribedOption("value", OptionKind.VALUE, "the value, as JSON", needed=True),),
    ),
    DescribedMethod(
        "model",
        "what a language model reads, with the words that show it",
        (
            _text("describe", "what to look for"),
            _words("values", "a line for each member of an enum: member: what it means"),
            _TEXT,
            _FIELD,
        ),
    ),
)

BY_NAME: Mapping[str, DescribedMethod] = {method.name: method for method in METHODS_DESCRIBED}
