"""Kinds of values proposed for texts: by the schema's format, by the name, by the values in the calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.model import Json
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.kinds.value_kind import ValueKind
from workbench.runs.proposals.proposed_names import singular
from workbench.runs.values.found_value import Missing
from workbench.runs.values.name_words import NAMED_ALONE, NAMED_WITH_VALUES
from workbench.runs.values.schema_kinds import TEXT_FORMATS

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+\Z")
_MAIL = re.compile(r"[^@\n]*[^@\s]+@[^@\s]+\.[^@\s>]+>?\Z")
_PATH = re.compile(r"((~|\.{1,2})?/\S.*|[^\s/]+/\S.*|[\w.-]+\.\w{1,8}|\.\w[\w.-]*)\Z")
_SQL = re.compile(
    r"\s*(?:--[^\n]*\n\s*)*"
    r"(select|with|insert|update|delete|create|drop|alter|truncate|explain|describe|show)\b",
    re.I,
)
_MONEY_TEXT = re.compile(r"[^\d]{0,4}\s?-?\d[\d.,' ]*\s?[^\d]{0,4}\Z")
_DIALECTS = ("sqlite", "postgres", "mysql", "duckdb", "snowflake", "bigquery", "tsql")
_MOST_READ = 40
_ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class RecognisedKind:
    """The kind of value of a text, the options that it needs, the evidence, and open questions."""

    kind: ValueKind
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    evidence: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()


def _words(name: str) -> set[str]:
    words = re.split(r"[^a-z]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())
    return {singular(word) for word in words}


def _most(pattern: re.Pattern[str]) -> Callable[[Sequence[str]], bool]:
    """A test whether four of five texts have a form; the evidence describes the others."""
    return lambda texts: sum(pattern.match(text) is not None for text in texts) * 5 >= len(texts) * 4


# What the values of a kind look like, in the order in which kinds are tried.
_LOOKS: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "url": _most(_URL),
    "mail_address": _most(_MAIL),
    "sql": _most(_SQL),
    "command": lambda _: True,
    "path": _most(_PATH),
    "version": lambda _: True,
    "amount": _most(_MONEY_TEXT),
}
# Values of these kinds are recognised without a name.
_BY_VALUES = frozenset({"url", "mail_address"})


def recognised_kind(name: str, format_: str, values: Iterable[str]) -> RecognisedKind | None:
    """The kind of a text, None without evidence for one; ``format_`` is the schema's."""
    texts = list(dict.fromkeys(value for value in values if value))[:_MOST_READ]
    words = _words(name)
    for kind_name, fit in _LOOKS.items():
        by_format = TEXT_FORMATS.get(format_) == kind_name
        with_fitting = bool(texts) and bool(words & NAMED_WITH_VALUES[kind_name]) and fit(texts)
        by_name = bool(words & NAMED_ALONE[kind_name]) or with_fitting
        by_values = kind_name in _BY_VALUES and len(texts) >= 3 and fit(texts)
        if not (by_format or by_name or by_values):
            continue
        why = (
            f'the schema says format "{format_}"' if by_format
            else f'it is called "{name}"' if by_name
            else "its values look so"
        )  # fmt: skip
        return _read(KINDS[kind_name], why, texts)
    return None


def _read(kind: ValueKind, why: str, texts: Sequence[str]) -> RecognisedKind | None:
    """The kind with the options that read most values; None if it reads too few."""
    if not texts:
        return RecognisedKind(kind, {}, (f"It is of the kind {kind.name}: {why}; no value was seen.",))
    choices: list[Mapping[str, Json]] = [{}]
    if kind.name == "sql":
        choices = [{} if dialect == "sqlite" else {"dialect": dialect} for dialect in _DIALECTS]
    if kind.name == "path" and any(not text.startswith("/") for text in texts):
        choices = [{}, {"root": "/", "home": "/"}]
    best: Mapping[str, Json] = {}
    refused: Mapping[str, str] | None = None
    for options in choices:
        try:
            refusals = _refused(kind, options, texts)
        except ModuleNotFoundError:
            return RecognisedKind(
                kind, {}, (f"It is of the kind {kind.name}: {why}.",), (f"Reading it needs {kind.needs}.",)
            )
        if refused is None or len(refusals) < len(refused):
            best, refused = options, refusals
        if not refusals:
            break
    refused = refused or {}
    read = len(texts) - len(refused)
    if read < len(texts) * _ENOUGH:
        return None
    return RecognisedKind(
        kind,
        {} if kind.name == "path" else best,
        (f"It is of the kind {kind.name}: {why}; {read} of {len(texts)} different values are read.",),
        _unsure(kind, best, refused),
    )


def _refused(kind: ValueKind, options: Mapping[str, Json], texts: Sequence[str]) -> Mapping[str, str]:
    """The values that the kind cannot read, with the reasons."""
    reader = kind.reader(options, "UTC")
    refused: dict[str, str] = {}
    for text in texts:
        try:
            reader.record(text)
        except Missing as missing:
            refused[text] = str(missing)
    return refused


def _unsure(kind: ValueKind, options: Mapping[str, Json], refused: Mapping[str, str]) -> tuple[str, ...]:
    sentences: list[str] = []
    if kind.name == "path" and options:
        sentences.append(
            'Some are relative, or begin with "~": say where they begin by root and home, as root = "/repo".'
        )
    if "dialect" in options:
        sentences.append(f"Of the dialects {options['dialect']} reads most of them.")
    if refused:
        why = next(iter(refused.values()))
        sentences.append(f"A call whose value cannot be read cannot be evaluated; the first such: {why}.")
    return tuple(sentences)
