"""The stub ``agent.pyi`` beside a policy: the classes of the agent, for editors and type checkers.

It has what the checker knows of the agent, as Python types; the checker decides what a policy does with them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from workbench.clean_text import one_line
from workbench.dialect.call_fields import CallField, CallType, as_read, type_of_record
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.class_names import (
    BEFORE,
    CALL,
    CALLS,
    CONTEXT,
    LOOKED_UP,
    RESERVED_CLASSES,
    RUN,
    TEXT,
    key_kinds,
    key_names,
)
from workbench.dialect.run_values import (
    AS_OF,
    FIRST_SAID,
    LAST,
    LAST_SAID,
    SAID,
    SENTENCES_WITH,
    SOURCE_BEFORE,
    WORDS,
)
from workbench.model import ArgumentType, Kind, Record, RecordField, RecordType
from workbench.policy.types import STR, set_element, with_article
from workbench.runs.kinds.kinds_by_name import KINDS, kind_of

WIDTH = 110
_INDENT = "    "
_OF, _OUTCOME, _RECORD, _EARLIER, _TIME = "_Of", "_Outcome", "_Record", "_Earlier", "_Time"
_NAMES = {
    Kind.BOOL: "bool",
    Kind.INT: "int",
    Kind.DECIMAL: "Decimal",
    Kind.STR: "str",
    Kind.DATE: "date",
    Kind.TIME: "time",
    Kind.DATETIME: _TIME,
    Kind.DURATION: "timedelta",
}
_MODULES = {
    "Iterable": "collections.abc",
    "dataclass": "dataclasses",
    **dict.fromkeys(("date", "datetime", "time", "timedelta"), "datetime"),
    "Decimal": "decimal",
    **dict.fromkeys(("Any", "Generic", "Literal", "TypeAlias", "TypeVar"), "typing"),
}
_OVERRIDES = "# type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]"
"""The word for each type checker: in its default mode, basedpyright heeds none but its own."""
_BUILTINS = frozenset({"bool", "int", "str", "frozenset", "tuple"})
_HEADING = (
    '"""The calls, records and context of the agent, for editors; `workbench stub` writes this file."""'
)
MODULE = '"""The classes are in agent.pyi, for editors and type checkers. Nothing runs this file."""\n'
"""The text of ``agent.py``: without it an editor warns that the module of the stub is missing."""


def stub(types: AgentTypes) -> str:
    """The text of the stub of an agent."""
    writing = _Stub(types)
    for call in types.calls.values():
        writing.call(call)
    for record in types.records.values():
        writing.object(type_of_record(record))
    writing.run()
    return writing.text()


@dataclass(slots=True)
class _Stub:
    """A stub that is being written: its classes in order, and the types that they use."""

    types: AgentTypes
    classes: dict[str, str] = field(default_factory=dict[str, str])
    used: set[str] = field(default_factory=set[str])
    second_names: set[str] = field(default_factory=set[str])

    def text(self) -> str:
        """The whole stub, after all classes are written."""
        shared = self.shared()
        own = sorted(name for name in self.second_names if name not in _MODULES.keys() | _BUILTINS)
        names_by_module: dict[str, list[str]] = {}
        for name in (*self.used, *(["TypeAlias"] if own else [])):
            if name in _MODULES:
                names_by_module.setdefault(_MODULES[name], []).append(name)
        imports = [
            f"from {module} import {', '.join(sorted(names))}" for module, names in names_by_module.items()
        ]
        imports += [
            f"from {_MODULES.get(name, 'builtins')} import {name} as _{name}"
            for name in self.second_names.difference(own)
        ]
        imports.sort(key=lambda line: (line.split()[1], line.split()[3].rstrip(",")))
        second = [f"_{name}: TypeAlias = {name}" for name in own]
        second.append(f'{_EARLIER} = TypeVar("{_EARLIER}", covariant=True)')
        blocks = (_HEADING, "\n".join(imports), "\n".join(second), *shared, *self.classes.values())
        return "\n\n".join(block for block in blocks if block) + "\n"

    # --- types --------------------------------------------------------------------

    def named(self, name: str, within: Iterable[str]) -> str:
        """The name of a type in a class with these fields: a field of that name would hide it."""
        (self.second_names if name in within else self.used).add(name)
        return f"_{name}" if name in within else name

    def type(self, type_: ArgumentType, within: Iterable[str]) -> str:
        """A type as it is written in a class with these fields."""
        match type_.kind:
            case Kind.ENUM:
                values = ", ".join(quoted(value) for value in type_.values)
                text = f"{self.named('Literal', within)}[{values}]"
            case Kind.SET:
                element = replaced_by_base(set_element(type_))
                text = f"{self.named('frozenset', within)}[{self.type(element, within)}]"
            case Kind.LIST:
                text = f"{self.named('tuple', within)}[{self.type(type_.element or STR, within)}, ...]"
            case Kind.RECORD if type_.record is not None:
                self.object(type_.record)
                text = self.named(type_.record.name, within)
            case Kind.STR:
                text = self.named(TEXT, within)
            case _:
                text = self.named(_NAMES[type_.kind], within)
        return f"{text} | None" if type_.optional else text

    def of_call(self, one: CallField, within: Iterable[str], *, in_element: bool = False) -> str:
        """The type of a field of a call."""
        self.objects(one, in_element=in_element or one.type.kind is Kind.LIST)
        return self.of_field(one, within)

    def of_field(self, one: CallField | RecordField, within: Iterable[str]) -> str:
        """The type of a field: texts have the parts of their kind."""
        type_ = as_read(one)
        if one.kind and type_.kind is not Kind.LIST:
            kind = KINDS[one.kind].type_in_calls
            self.object(kind)
            text = self.named(kind.name, within)
        else:
            return self.type(type_, within)
        return f"{text} | None" if type_.optional else text

    # --- classes ------------------------------------------------------------------

    def call(self, call: CallType) -> None:
        """The class of a tool's calls, and that of those that were made earlier in the run."""
        earlier = self.earlier(call)
        within = {"tool", *(one.name for one in call.fields)}
        lines = [_line("tool", f"{self.named('Literal', within)}[{quoted(call.tool)}]")]
        for one in call.fields:
            lines += [_line(one.name, self.of_call(one, within)), *_docstring(one.description, 1)]
        self.add(call.name, (CALL, f"{_OF}[{earlier}]"), call.description, lines)
        self.add(earlier, (call.name, _OUTCOME), "", [])

    def earlier(self, call: CallType) -> str:
        """The class of a tool's earlier calls, which has a name that no other class has."""
        classes = {*self.types.calls, *(record.class_name for record in self.types.records.values())}
        name = f"Earlier{call.name}"
        while name in classes | RESERVED_CLASSES:
            name += "_"
        return name

    def objects(self, one: CallField, *, in_element: bool) -> None:
        """The class of a nested object or of the elements of a list, with the texts on its fields."""
        element = one.type.element if one.type.kind is Kind.LIST else one.type
        if not one.fields or element is None or element.record is None:
            return
        within = {inner.name for inner in one.fields}
        lines: list[str] = []
        for inner in one.fields:
            type_ = self.of_call(inner, within, in_element=in_element)
            lines += [_line(inner.name, type_), *_docstring(inner.description, 1)]
        self.add(element.record.name, (), one.description, lines)

    def object(self, record: RecordType) -> None:
        """The class of a record, or of a kind of value, whose values are texts."""
        if record.name in self.classes:
            return
        self.classes[record.name] = ""  # its place, before the classes that its fields name
        declared = next((one for one in self.types.records.values() if one.class_name == record.name), None)
        if declared is not None:
            self.record(declared)
            return
        kind = kind_of(record)
        within = {name for name, _ in record.fields}
        lines = [_line(name, self.type(type_, within)) for name, type_ in record.fields]
        if kind is None:
            self.add(record.name, (), "", lines)
        else:
            self.add(record.name, (TEXT,), kind.meaning, lines, frozen=False)

    def record(self, record: Record) -> None:
        """The class of a record of the agent. What may be None is ``Any``, as in the run."""
        within = {one.name for one in record.fields}
        lines: list[str] = []
        for one in record.fields:
            present = replace(one, type=replace(one.type, optional=False))
            if as_read(one).optional:
                type_ = f"{self.of_field(present, within)} | {self.named('Any', within)}"
                lines += [_line(one.name, type_), *_docstring("None if it has none.", 1)]
            else:
                lines.append(_line(one.name, self.of_field(one, within)))
        base = (_RECORD,) if record.key else ()
        self.add(record.class_name, base, with_article(record.name.replace("_", " ")), lines)

    def run(self) -> None:
        """The class of the run: its earlier calls, its records by key, the context of the call.

        What may be None is ``Any`` here: no type checker sees that ``run.trip(key)`` or its field is there
        after it was tested. The checker of policies does.
        """
        keyed = [record for record in self.types.records.values() if record.key]
        within = {
            "context",
            "earlier",
            "since",
            "until",
            LAST,
            *WORDS,
            *(record.name for record in keyed),
        }
        fields: list[str] = []
        for name, one in self.types.context.items():
            fields += [_line(name, self.type(one.type, self.types.context)), *_docstring(one.description, 1)]
        self.add(CONTEXT, (), "What the application says of the call.", fields)
        iterable, absent = self.named("Iterable", within), self.named("Any", within)
        lines = [
            _line("context", CONTEXT),
            _line(SAID, self.named(TEXT, within)),
            *_docstring("All that the user has said in the run.", 1),
            _line(LAST_SAID, self.named(TEXT, within)),
            *_docstring("What the user has said last.", 1),
            _line(FIRST_SAID, self.named(TEXT, within)),
            *_docstring("The first message of the user, which an application's template writes.", 1),
            f"{_INDENT}def earlier(self, *tools: type[{_OF}[{_EARLIER}]]) -> tuple[{_EARLIER}, ...]:",
            *_docstring("The earlier calls of these tools in the run, in order.", 2),
            f"{_INDENT}def {LAST}(self, calls: {iterable}[{_EARLIER}], /) -> {_EARLIER} | {absent}:",
            *_docstring("The last of these calls; None if there is none.", 2),
            f"{_INDENT}def since(self, calls: {iterable}[{CALL}] | {_OUTCOME}, /) -> {RUN}:",
            *_docstring("The part of the run after this call, or the last of these, or all of it.", 2),
            f"{_INDENT}def until(self, calls: {iterable}[{CALL}] | {_OUTCOME}, /) -> {RUN}:",
            *_docstring("The part of the run before this call, or the first of these, or all of it.", 2),
            f"{_INDENT}def {CALLS}(self, *tools: type[{_OF}[{_EARLIER}]]) -> tuple[{_EARLIER}, ...]:",
            *_docstring("In a theorem: the calls of these tools in the whole run that were allowed.", 2),
            f"{_INDENT}def {BEFORE}(self, call: {CALL}, /) -> {RUN}:",
            *_docstring("In a theorem: the run as it was when this call was decided.", 2),
        ]
        for record in keyed:
            keys = ", ".join(
                f"{name}: {' | '.join(self.named(_NAMES[kind], within) for kind in key_kinds(record, path))}"
                for name, path in zip(key_names(record), record.keys, strict=True)
            )
            found = self.named(record.class_name, within)
            at = f"{AS_OF}: {_OUTCOME} = ..."
            lines.append(f"{_INDENT}def {record.name}(self, {keys}, /, *, {at}) -> {found} | {absent}:")
            words = record.name.replace("_", " ")
            lines += _docstring(
                f"The {words} with this key, as known now or {AS_OF} a call; None if there is none.", 2
            )
        self.add(RUN, (), "The run of the agent before the call.", lines, frozen=False)
        self.classes[LOOKED_UP] = "\n".join(
            (
                f"def {LOOKED_UP}(record: {_RECORD} | None, /) -> bool:",
                *_docstring(
                    "Whether the run looked this record up, so that it is known or known to be absent.", 1
                ),
            )
        )

    def of_times(self) -> str:
        """The class of points in time, whose date, time and weekday are no methods in a policy."""
        parts = {"date": "date", "time": "time", "weekday": "int"}
        lines: list[str] = []
        for name, type_ in parts.items():
            held = f"{_INDENT}def {name}(self) -> {self.named(type_, parts)}: ...  {_OVERRIDES}"
            lines += [f"{_INDENT}@property", held]
        return _class(_TIME, ("datetime",), "A point in time, with its parts.", lines, frozen=False)

    def of_texts(self) -> list[str]:
        """What every text has: its source, its sentences, and what the agent's readings read out of it."""
        readings = self.types.readings
        lines = [_line("source", f"{self.named('frozenset', readings)}[str]")]
        lines += _docstring("The places of the run that it came from, before its own call.", 1)
        places = f"{self.named('frozenset', readings)}[str]"
        lines.append(f"{_INDENT}def {SOURCE_BEFORE}(self, call: {_OUTCOME}, /) -> {places}:")
        lines += _docstring("The places that it came from before this earlier call.", 2)
        value = " | ".join(self.named(name, readings) for name in ("str", "int", "Decimal"))
        lines.append(f"{_INDENT}def {SENTENCES_WITH}(self, value: {value}, /) -> {TEXT}:")
        lines += _docstring("Its sentences in which this value stands.", 2)
        for reading in readings.values():
            lines.append(_line(reading.name, self.type(reading.type, readings)))
            only = f"Only of {', '.join(reading.texts)}." if reading.texts else ""
            lines += _docstring(" ".join(part for part in (reading.description, only) if part), 1)
        return lines

    def add(
        self, name: str, bases: Sequence[str], description: str, lines: Sequence[str], *, frozen: bool = True
    ) -> None:
        """Add a class. What does not change may have a narrower type in a subclass."""
        self.classes[name] = _class(name, bases, description, lines, frozen=frozen)
        self.used |= {"dataclass"} if frozen else set()

    def shared(self) -> list[str]:
        """The classes that every stub has."""
        self.used |= {"datetime", "dataclass", "Generic", "TypeVar"}
        flags = [_line(name, "bool") for name in ("succeeded", "failed", "approved")]
        outcome = [*flags, _line("result", TEXT)]
        return [
            _class(TEXT, ("str",), "A text of a call or of its run.", self.of_texts(), frozen=False),
            _class(CALL, (), "A call of any tool.", [_line("tool", "str"), _line("time", _TIME)]),
            _class(_OUTCOME, (), "", outcome),
            self.of_times(),
            f"class {_OF}(Generic[{_EARLIER}]): ...\nclass {_RECORD}: ...",
        ]


def replaced_by_base(element: ArgumentType) -> ArgumentType:
    """The type of the members of a set, whose known texts restrict nothing."""
    return STR if element.kind is Kind.ENUM else element


def _class(
    name: str, bases: Sequence[str], description: str, lines: Sequence[str], *, frozen: bool = True
) -> str:
    heading = f"class {name}({', '.join(bases)}):" if bases else f"class {name}:"
    decorator = ["@dataclass(frozen=True)"] if frozen else []
    documented = _docstring(description, 1)
    if not documented and not lines:
        return "\n".join((*decorator, f"{heading} ..."))
    gap = [""] if documented and lines else []
    return "\n".join((*decorator, heading, *documented, *gap, *lines))


def _line(name: str, type_: str) -> str:
    return f"{_INDENT}{name}: {type_}"


def _docstring(description: str, depth: int) -> list[str]:
    """The lines of a docstring; none without a description."""
    indent = _INDENT * depth
    text = one_line(description).replace("\\", "\\\\").replace('"', '\\"')
    if not text:
        return []
    if len(whole := f'{indent}"""{text}"""') <= WIDTH:
        return [whole]
    wrapped = textwrap.wrap(text, WIDTH - len(indent) - 3, break_long_words=False, break_on_hyphens=False)
    return [f'{indent}"""{wrapped[0]}', *(f"{indent}{line}" for line in wrapped[1:]), f'{indent}"""']


def quoted(text: str) -> str:
    """A text as a string literal, in which only letters, digits and signs that print are as they are."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in ('"', "\\"):
        return f"\\{character}"
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
