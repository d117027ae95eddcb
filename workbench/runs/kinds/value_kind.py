"""Kinds of values: their parts with types, their options, and the reader of texts into them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from workbench.clean_text import clean, first_hidden
from workbench.likeness import did_you_mean
from workbench.model import MOST_ELEMENTS, ArgumentType, Element, Json, Kind, RecordType, RecordValue, Value
from workbench.policy.result_cache import Recent
from workbench.runs.kinds.kinds_by_name import OWN_TEXT
from workbench.runs.values.coerce import shown
from workbench.runs.values.described_option import BadOption, DescribedOption, checked
from workbench.runs.values.found_value import Incomplete, Missing

TEXT = ArgumentType(Kind.STR)
TEXTS = ArgumentType(Kind.SET)
FLAG = ArgumentType(Kind.BOOL)
WHOLE_NUMBER = ArgumentType(Kind.INT)
MOST_CHARACTERS = 100_000
_MOST_READERS = 16
_MOST_KEPT, _LONGEST_KEPT = 512, 4_000
"""The most texts of which a reader keeps the parts, and the most characters of one."""

type Parts = Mapping[str, Value | Missing]
"""The values of all parts of a text but ``text``, by name; Missing for a part that is undetermined.

A set or list is Incomplete if it may have more members than the text tells.
"""
type Read = Callable[[str], Parts]
"""Reads a text; raises Missing with the reason if it cannot be determined."""


def list_of(record: RecordType) -> ArgumentType:
    """The type of lists of records."""
    return ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=record))


def record_with(type_: RecordType, values: Mapping[str, Value]) -> RecordValue:
    """The record of a type with these values of its fields."""
    return RecordValue(type_.name, tuple((name, values[name]) for name, _ in type_.fields))


class JsonNumber(str):
    """The text of a JSON number, whose value is unambiguous."""


@dataclass(frozen=True, slots=True)
class PartInCalls:
    """A part as a policy of calls reads it, if that is not its value: its type, and what makes it.

    ``source`` is a part, of no policy, that it is made of in its own place.
    """

    type: ArgumentType
    of: Callable[[Value], Value]
    source: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """What every text of a part is like: a pattern, and words for it with an example."""

    pattern: str
    words: str


@dataclass(frozen=True)
class ValueKind:
    """A kind of value. In a policy it is a record with the kind's name, each word with a capital.

    ``parts`` are its fields in addition to ``text``. ``prepare`` gives the reader of texts with these
    options. It gets every declared option, with its default, and raises BadOption. ``needs`` names the
    packages that it needs besides Python, ``parts_need`` those of single parts.
    A kind of ``numbers`` reads a JSON number too, as a ``JsonNumber``.
    An option ``zone`` that is not given is the agent's zone.

    In a policy of calls a set or list is complete, or it is not determinable: ``incomplete`` says of each
    part when that is so. So the parts that ``ask`` whether another is complete are none there. ``in_calls``
    are the parts that have another type there. ``forms`` has what each text of a part is like, where not any
    text is one.
    """

    name: str
    meaning: str
    parts: tuple[tuple[str, ArgumentType], ...]
    prepare: Callable[[Mapping[str, Json]], Read]
    options: tuple[DescribedOption, ...] = ()
    needs: str = ""
    parts_need: Mapping[str, str] = field(default_factory=dict[str, str])
    numbers: bool = False
    incomplete: Mapping[str, str] = field(default_factory=dict[str, str])
    ask: frozenset[str] = frozenset()
    in_calls: Mapping[str, PartInCalls] = field(default_factory=dict[str, PartInCalls])
    forms: Mapping[str, Form] = field(default_factory=dict[str, Form])

    @cached_property
    def _readers(self) -> Recent[str, KindReader]:
        """The readers by their options: each policy and each replay would else read the same texts anew."""
        return Recent(_MOST_READERS)

    @cached_property
    def type(self) -> RecordType:
        """The record type of the kind in a policy."""
        return RecordType(self._class_name, ((OWN_TEXT, TEXT), *self.parts))

    @cached_property
    def type_in_calls(self) -> RecordType:
        """The record type of the kind in a policy of calls."""
        parts = (
            (name, self.in_calls[name].type if name in self.in_calls else type_)
            for name, type_ in self.parts
            if name not in self.ask
        )
        return RecordType(self._class_name, ((OWN_TEXT, TEXT), *parts))

    @property
    def _class_name(self) -> str:
        return "".join(word[:1].upper() + word[1:] for word in self.name.split("_"))

    def reader(self, option_values: Mapping[str, Json], zone: str = "") -> KindReader:
        """The reader of values of the kind with these options. Raises BadOption."""
        option_by_name = {option.name: option for option in self.options}
        for name in option_values:
            if name not in option_by_name:
                hint = (
                    did_you_mean(name, option_by_name) or f"known are {', '.join(option_by_name) or 'none'}"
                )
                raise BadOption(name, f"the kind {self.name} has no option {name!r}; {hint}")
        options = {name: checked(option, option_values.get(name)) for name, option in option_by_name.items()}
        if "zone" in option_by_name and not options["zone"]:
            options["zone"] = zone
        key = json.dumps(options, sort_keys=True)
        reader = self._readers.get(key)
        if reader is None:
            reader = KindReader(self, self.prepare(options))
            self._readers.put(key, reader)
        return reader


class KindReader:
    """Reads values of one kind with its options.

    Every rule about a call reads the same text, and a log has many texts more than once: what was read of
    recent ones is kept, of a long one only until the next.
    """

    def __init__(self, kind: ValueKind, read: Read) -> None:
        """Take the kind and the function that reads a text."""
        self.kind = kind
        self._type = kind.type
        self._read = read
        self._kept = Recent[str, Parts](_MOST_KEPT)
        self._kept_in_calls = Recent[str, Parts](_MOST_KEPT)
        self._long_in_calls = Recent[str, Parts](1)

    def record(self, value: Json) -> RecordValue:
        """The value with all its parts. Raises Missing if the value cannot be determined.

        The record lacks a part that cannot be determined, so it does not fit a policy that reads this part.
        An incomplete set has its known members: other parts ask whether it is complete.
        """
        parts = self.parts(value)
        fields = ((name, _known(parts[name])) for name, _ in self._type.fields)
        return RecordValue(
            self._type.name, tuple((name, part) for name, part in fields if not isinstance(part, Missing))
        )

    def part(self, value: Json, name: str) -> Value:
        """One part of the value, as in ``record``. Raises Missing if it cannot be determined."""
        part = _known(self.parts(value)[name])
        if isinstance(part, Missing):
            raise part
        return part

    def parts(self, value: Json) -> Parts:
        """All parts of the value. Raises Missing if the value cannot be determined."""
        text = self._text(value)
        kept = self._kept.get(text) if type(text) is str else None
        if kept is None:
            kept = {OWN_TEXT: text, **self._parts(text)}
            if type(text) is str and len(text) <= _LONGEST_KEPT:
                self._kept.put(text, kept)
        return kept

    def parts_in_calls(self, value: Json) -> Parts:
        """All parts as a policy of calls reads them. Raises Missing if the value cannot be determined."""
        if not isinstance(value, str):
            return self._read_in_calls(value)
        kept = self._kept_in_calls if len(value) <= _LONGEST_KEPT else self._long_in_calls
        read = kept.get(value)
        if read is None:
            read = self._read_in_calls(value)
            kept.put(value, read)
        return read

    def _read_in_calls(self, value: Json) -> Parts:
        parts = self.parts(value)
        return {name: self._in_calls(name, parts) for name, _ in self.kind.type_in_calls.fields}

    def _in_calls(self, name: str, parts: Parts) -> Value | Missing:
        part, other = parts[name], self.kind.in_calls.get(name)
        known = _known(part if other is None else parts[other.source or name])
        if other is None or isinstance(known, Missing):
            return part
        read = other.of(known)
        return Incomplete(str(part), cast("tuple[Element, ...]", read)) if isinstance(part, Missing) else read

    def _text(self, value: Json) -> str:
        if self.kind.numbers and isinstance(value, int | float) and not isinstance(value, bool):
            return JsonNumber(repr(value))
        if not isinstance(value, str):
            raise Missing(f"{shown(value)} is not a text")
        if len(value) > MOST_CHARACTERS:
            raise Missing(f"the text has {len(value)} characters, more than {MOST_CHARACTERS}")
        if hidden := first_hidden(clean(value)):
            raise Missing(f"{shown(value)} has a control or invisible character ({shown(hidden[0])})")
        return value

    def _parts(self, text: str) -> Parts:
        try:
            parts = self._read(text)
        except (Missing, ModuleNotFoundError):
            raise
        except Exception as error:
            # A text on which a library fails must not decide anything.
            name = type(error).__name__
            raise Missing(f"{shown(text)} cannot be read as {self.kind.name} ({name})") from None
        for name, part in parts.items():
            known = _known(part)
            if isinstance(known, frozenset | tuple) and len(cast("tuple[Any, ...]", known)) > MOST_ELEMENTS:
                raise Missing(f"{name} of {shown(text)} has more than {MOST_ELEMENTS} elements")
        return parts


def _known(part: Value | Missing) -> Value | Missing:
    """A part that is incomplete as its known members."""
    return part.known if isinstance(part, Incomplete) else part


def text_option(options: Mapping[str, Json], name: str) -> str:
    """A text option; empty if it is not given."""
    value = options[name]
    return value if isinstance(value, str) else ""
