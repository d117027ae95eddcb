"""Plain values in a person's words as constants of the dialect: numbers, weekdays, names, folders."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from posixpath import join, normpath

from workbench.clarify.sayable_facts import SayableFact
from workbench.model import Kind, Scalar, WorkbenchError
from workbench.policy.connectives import disjunction, negate
from workbench.policy.relations import Relation
from workbench.policy.terms import (
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Member,
    StringTest,
    StringTestKind,
    Term,
)
from workbench.policy.types import NUMBERS, STR, TEXTS, a_type
from workbench.serialization.durations import stated_duration

_TEXTS = (Kind.STR, Kind.SET, Kind.ENUM)
_NUMBER = re.compile(r"(-?\d[\d,]*(?:\.\d+)?)\s*([a-z€$£%]+)?", re.I)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_EVERY_COLUMN = ("all columns", "every column")
_TABLES, _COLUMNS = ("sql.reads", "sql.writes", "sql.table"), ("sql.columns", "sql.shown", "sql.column")
_ONE_OF = "one of "
WAY = "sql.way"
_USED = re.compile(r"it (comes out|does not come out|is (?P<not>not )?(?:only )?(?P<ways>.+))", re.I)
_OUT = ("plain", "picked")
_WAYS = {
    "averaged": "aggregate",
    "summed": "aggregate",
    "added up": "aggregate",
    "counted": "counted",
    "tested": "tested",
    "joined on": "key",
    "filtered on": "filter",
}
"""The words for the ways in which a query may use a column."""


def _no_names() -> frozenset[str]:
    return frozenset()


def _no_texts(_: SayableFact) -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True, slots=True)
class StatedValues:
    """Reads values; ``columns`` gives the columns that recorded SQL names, each after its table.

    ``recorded`` gives the texts that recorded calls have for a fact.
    """

    columns: Callable[[], frozenset[str]] = _no_names
    recorded: Callable[[SayableFact], frozenset[str]] = _no_texts

    def value(self, fact: SayableFact, words: str) -> Scalar:
        """A plain value of the fact's type; raises WorkbenchError."""
        type_ = fact.type
        type_ = type_.element if type_.element is not None and type_.kind in (Kind.SET, Kind.LIST) else type_
        kind, values = type_.kind, type_.values
        text = bare(words)
        if kind is Kind.INT and text.lower() in _WEEKDAYS:
            return _WEEKDAYS.index(text.lower()) + 1
        if kind in NUMBERS:
            return _number(fact, kind, words, text)
        if (read := _READ.get(kind)) is not None:
            return _moment(fact, words, read)
        if kind not in _TEXTS:
            raise WorkbenchError(f"“{fact.phrase}” is a {kind.value}; it cannot be compared with “{words}”.")
        alike = {called(value): value for value in values}
        if text in values:
            return text
        if called(text) in alike:
            return alike[called(text)]
        if kind is Kind.ENUM:
            raise WorkbenchError(f"“{words}” is no value of “{fact.phrase}”: {', '.join(values)}.")
        return self._name(fact, text) if fact.meaning in (*_TABLES, *_COLUMNS) else text

    def together(self, fact: SayableFact, words: str) -> tuple[str, ...] | None:
        """The programs of the group with that name; None if the words are one value."""
        from workbench.runs.kinds.shell.programs import GROUPS

        return GROUPS.get(words.strip().lower()) if fact.meaning == "command.programs" else None

    def is_member(self, fact: SayableFact, words: str) -> bool:
        """Whether a text is a value in the fact's type, or is quoted, so that it is no name."""
        if words.strip() != bare(words):
            return fact.type.kind in _TEXTS
        members = {called(value) for value in fact.type.values}
        return fact.type.kind is Kind.ENUM and called(words) in members

    def is_known(self, fact: SayableFact, words: str) -> bool:
        """Whether a text is a listed value, a known column, or a text that recorded calls have for a fact."""
        if self.is_member(fact, words) or words.lower() in _EVERY_COLUMN:
            return True
        if fact.meaning in (*_TABLES, *_COLUMNS):
            return self._name(fact, words) != re.sub(r"[\s-]+", "_", words.strip()) or " " not in words
        return words.strip() in self.recorded(fact)

    def is_listed(self, fact: SayableFact, words: str) -> bool:
        """Whether a text is known, or is among the values that were seen for the fact."""
        return self.is_known(fact, words) or called(words) in map(called, fact.type.values)

    def _name(self, fact: SayableFact, words: str) -> str:
        """The table or column that a person means: “customers”, “birth date”, “all columns”."""
        if words.lower() in _EVERY_COLUMN:
            return "*"
        plain_name = re.sub(r"[\s-]+", "_", words.strip())
        known_names = self.columns()
        if fact.meaning in _TABLES:
            known_names = frozenset(name.rpartition(".")[0] for name in known_names)
        elif fact.meaning == "sql.column":
            known_names = frozenset(name.rpartition(".")[2] for name in known_names)
        if plain_name in known_names:
            return plain_name
        ending = "_" + plain_name.lower().replace(".", "_")
        matches = sorted(
            name for name in known_names if ("_" + name.lower().replace(".", "_")).endswith(ending)
        )
        if len(matches) > 1:
            raise WorkbenchError(f"“{words}” may be {' or '.join(matches)}: say which.")
        return matches[0] if matches else plain_name

    def tests(self, fact: SayableFact, text: Term, relation: Relation, right: str) -> Term:
        """A test of a text with one value, or with “one of” several values."""
        test = disjunction(self._test(fact, text, relation, value) for value in tested(right))
        return negate(test) if relation.negated else test

    def _test(self, fact: SayableFact, text: Term, relation: Relation, value: str) -> Term:
        element = fact.type.element or STR
        if fact.type.kind not in (Kind.STR, Kind.SET) or element.kind not in TEXTS:
            raise odd(fact, relation.words, "it is no text")
        match relation.operator:
            case "bucket":
                return StringTest(StringTestKind.PREFIX, text, f"s3://{bare(value)}/")
            case "inside":
                return _inside(fact, text, bare(value))
            case test:
                return StringTest(StringTestKind(test), text, bare(value))


def tested(right: str) -> list[str]:
    """The texts of a test: one, or “one of” several."""
    return parts(right[len(_ONE_OF) :]) if right.lower().startswith(_ONE_OF) else [right]


def _inside(fact: SayableFact, text: Term, holder: str) -> Term:
    """The condition that a path is in a folder (relative to the root), or a table in a schema."""
    if fact.meaning in _TABLES:
        return StringTest(StringTestKind.PREFIX, text, f"{holder}.")
    if fact.root and not holder.startswith(("/", "~")):
        holder = normpath(join(fact.root, holder))
    holder = holder.rstrip("/")
    itself = Compare(Comparison.EQ, text, Constant(holder))
    return disjunction((itself, StringTest(StringTestKind.PREFIX, text, f"{holder}/")))


def stated_ways(text: str, way: Term) -> Term | None:
    """The test that a query uses a column in certain ways; None if the words state no such test."""
    match = _USED.fullmatch(text.strip())
    if match is None:
        return None
    if match["ways"] is None:
        ways, negated = list(_OUT), match[1].lower() != "comes out"
    else:
        listed_ways, negated = parts(match["ways"].lower()), bool(match["not"])
        if not all(listed in _WAYS for listed in listed_ways):
            return None
        ways = [_WAYS[listed] for listed in listed_ways]
    use_test = Member(way, ConstantSet(tuple(dict.fromkeys(ways))))
    return negate(use_test) if negated else use_test


_READ: Mapping[Kind, Callable[[str], date | time | timedelta | None]] = {
    Kind.DATE: date.fromisoformat,
    Kind.TIME: time.fromisoformat,
    Kind.DATETIME: datetime.fromisoformat,
    Kind.DURATION: stated_duration,
}


def _moment(fact: SayableFact, words: str, read: Callable[[str], date | time | timedelta | None]) -> Scalar:
    try:
        value = read(bare(words))
    except ValueError:
        value = None
    if value is None:
        raise WorkbenchError(f"“{words}” is not {a_type(fact.type)}, and “{fact.phrase}” is one.")
    if not isinstance(value, datetime):
        return value
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def _number(fact: SayableFact, kind: Kind, words: str, text: str) -> int | Decimal:
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise WorkbenchError(f"“{words}” is no number, and “{fact.phrase}” is one.")
    number = Decimal(match[1].replace(",", ""))
    if kind is not Kind.INT:
        return number
    if number != number.to_integral_value():
        raise WorkbenchError(f"“{words}” is no whole number, and “{fact.phrase}” is one.")
    return int(number)


def odd(fact: SayableFact, how: str, why: str) -> WorkbenchError:
    """The error that a fact cannot be compared in this way, with the reason."""
    return WorkbenchError(f"“{fact.phrase}” cannot be compared by “{how}”: {why}.")


_PARTED = re.compile(r"(?P<quoted>\"[^\"]*\"|“[^”]*”)|\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+")


def parts(text: str) -> list[str]:
    """The values of a list in words: “a, b or c”. Text in quotation marks is one value."""
    values: list[str] = []
    start = 0
    for match in _PARTED.finditer(text):
        if match["quoted"] is None:
            values.append(text[start : match.start()])
            start = match.end()
    return [part for part in (*values, text[start:]) if part]


def bare(text: str) -> str:
    """A text without its quotation marks."""
    return text.strip().strip("\"'“”‘’`").strip()


def called(text: str) -> str:
    """The name of a thing without case, spaces, signs and underlines."""
    return " ".join(re.findall(r"[^\W_]+|[^\w\s]", text.casefold().replace("_", " ").replace("-", " ")))
