"""The file that a person wrote, where the policy that is evaluated was made from it.

A policy of calls comes to a policy over plain arguments. Its rules and clauses are read, shown and edited in
the file of the person: this has their lines there, the arguments that stand for its expressions, and the
words for these arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from workbench.model import Argument, Arguments, CallExpression, Element, RecordValue, Value

if TYPE_CHECKING:
    from workbench.policy.terms import Clause, Rule

_NOTHING: Mapping[str, str] = MappingProxyType({})
_ELEMENT = re.compile(r"\bx\.")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_OF_RUN = re.compile(r"\brun\.|\.source\b")


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """A rule or clause in the file of the person: its lines from 1, and the condition of a clause.

    ``tool`` is the tool whose calls it is about, if the clause of the file is one clause for each of several
    tools. ``tools`` are those whose calls a rule is about, each with a condition of its own; none if it is
    about all calls.
    """

    line: int
    end_line: int
    source: str = ""
    tool: str = ""
    tools: tuple[str, ...] = ()

    def condition_line(self, file: str) -> int:
        """The line of the file on which the condition of a rule begins, after the rule's sentence."""
        lines = file.splitlines()[self.line - 1 : self.end_line]
        starts = (at for at, line in enumerate(lines) if line.lstrip().startswith(("return", "if ")))
        return self.line + next(starts, 0)


@dataclass(frozen=True, slots=True)
class TextTest:
    """A test of raw text on what is a path, a command, an address or another kind of value.

    ``rule`` is the rule or contract that has it, at ``line``; ``typed`` is what to write in its place.
    """

    rule: str
    requirements: tuple[str, ...]
    line: int
    text: str
    typed: str


@dataclass(frozen=True, slots=True)
class TimeRead:
    """A point in time that a policy reads, and of which neither field nor reading declares the zone.

    ``name`` is what people call it. A parameter is in calls of ``tools`` and has its ``path``; anything else
    is in the results of ``tools``, of all without any. ``by_clock``: its day or hour is read.
    """

    name: str
    tools: tuple[str, ...] = ()
    path: str = ""
    by_clock: bool = False


@dataclass(frozen=True)
class WrittenFile:
    """The file of the person: its text, its rules by name and clauses by id, and its arguments.

    ``undeclared_shells`` are the tools of whose commands it reads parts, and which do not say their shell.
    ``undeclared_folders`` has the kinds of their parameters whose paths it reads, where relative ones begin
    nowhere; ``undeclared_homes`` has them where no folder is declared for ``~``.
    ``undeclared_remotes`` are the tools of whose commands it reads the hosts, and which declare no remote of
    git. ``undeclared_dialects`` has the parameters with SQL of which it reads parts, by tool, that do not say
    of which database, ``undeclared_disks`` the tools of whose paths it reads parts and which do not say
    whether case tells files apart. ``outcomes`` are the tools of which it asks whether earlier calls
    succeeded.
    ``theorems`` are the sentences of its theorems about whole runs, by their names. ``default_allow`` is what
    it says of calls of which no rule speaks.
    """

    text: str
    parts: Mapping[str, WrittenPart]
    arguments: tuple[Argument, ...]
    find_text_tests: Callable[[], tuple[TextTest, ...]] = tuple
    find_times: Callable[[], tuple[TimeRead, ...]] = tuple
    undeclared_shells: tuple[str, ...] = ()
    undeclared_folders: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    undeclared_homes: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    undeclared_remotes: tuple[str, ...] = ()
    undeclared_dialects: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    undeclared_disks: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    theorems: Mapping[str, str] = field(default_factory=dict[str, str])
    default_allow: bool = False

    def part(self, of: Rule | Clause) -> WrittenPart:
        """A rule or clause of the policy in the file; its lines are 0 if it does not stand there."""
        from workbench.policy.terms import Rule

        return self.parts.get(of.name if isinstance(of, Rule) else of.id, _NOWHERE)

    def docstring_line(self, part: WrittenPart) -> int:
        """The line of a function with a docstring of one line and nothing else; 0 if none has that."""
        import ast

        lines = self.text.splitlines()[part.line - 1 : part.end_line]
        source = "\n".join(lines)
        match ast.parse(source).body:
            case [ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str() as said) as written), *_])]:
                line = lines[written.lineno - 1].strip()
                is_alone = ast.get_source_segment(source, written) == line and "\n" not in said
                return part.line + written.lineno - 1 if is_alone else 0
            case _:
                return 0

    @cached_property
    def text_tests(self) -> tuple[TextTest, ...]:
        """The tests of raw text in it: a guard never asks, so they are looked for when somebody does."""
        return self.find_text_tests()

    @cached_property
    def times(self) -> tuple[TimeRead, ...]:
        """The points in time that it reads and whose zone no field declares; looked for as text tests are."""
        return self.find_times()

    @cached_property
    def words(self) -> ArgumentWords:
        """The words for the arguments."""
        return ArgumentWords(self.arguments)


class ArgumentWords:
    """The words for arguments that stand for expressions; any other argument is called by its name."""

    def __init__(self, arguments: Sequence[Argument] = (), spoken: Mapping[str, str] = _NOTHING) -> None:
        """Take the arguments; those of no expression are left as they are.

        ``spoken`` is what sentences call the arguments without a noun of their own, and fields of them
        (``name.field``), where they have words.
        """
        self._arguments = tuple(arguments)
        self._spoken = spoken
        self.expressions: dict[str, str] = {}
        self._calls: dict[str, CallExpression] = {}
        self._nouns: dict[str, str] = {}
        fields: dict[str, str] = {}
        for argument in arguments:
            expression = argument.expression
            if expression is None:
                continue
            self.expressions[argument.name] = expression.text
            self._calls[argument.name] = expression
            self._nouns[argument.name] = argument.description or expression.text
            fields |= {path.rpartition(".")[2]: words for path, words in expression.fields.items()}
        self._fields = fields
        self._keyed: dict[str | None, Mapping[str, Sequence[str]]] = {}

    def joined(self, other: ArgumentWords) -> ArgumentWords:
        """The words for the arguments of two policies, in which no name stands for two expressions."""
        spoken = {**other._spoken, **self._spoken}
        return ArgumentWords((*self._arguments, *other._arguments), spoken)

    def __bool__(self) -> bool:
        return bool(self.expressions)

    def in_call(self, name: str) -> str:
        """The words for an argument to the agent: a parameter of its call has the parameter's own name."""
        return self.of(name).removeprefix("call.")

    def of(self, name: str) -> str:
        """The words for an argument, or for a field of it (``name.field``): its noun, else its expression."""
        if name in self._spoken:
            return self._spoken[name]
        argument, dot, path = name.partition(".")
        if not dot:
            argument, bracket, path = name.partition("[")
            dot = bracket
        words = self._spoken.get(argument) or self._nouns.get(argument, argument)
        return f"{words}{dot}{self.said(path)}" if dot else words

    def noun(self, text: str) -> str:
        """The words for an argument by its name, or by the expression that it stands for."""
        return self.of(next((name for name, of in self.expressions.items() if of == text), text))

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        """What stands for an expression in a text; None if nothing does."""
        # A fact has the name that the person gave it.
        made_up = [name for name, text in self.expressions.items() if self._nouns[name] == text]
        names = "|".join(map(_occurrences, sorted({*made_up, *self._fields}, key=len, reverse=True)))
        return re.compile(rf"{_QUOTED.pattern}|(?P<of>\b\w+\.)?\b(?P<name>{names})\b") if names else None

    def told(self, text: str) -> str:
        """A text about arguments and their fields with what sentences call them, or their expressions."""
        said, end = "", 0
        for found in self._told.finditer(text):
            said += self.said(text[end : found.start()]) + self._spoken.get(found[0], found[0])
            end = found.end()
        return said + self.said(text[end:])

    @cached_property
    def _told(self) -> re.Pattern[str]:
        names = "|".join(_occurrences(name) for name in sorted(self._spoken, key=len, reverse=True))
        return re.compile(rf"{_QUOTED.pattern}|(?<![\w.])(?:{names})(?!\w|\(|\[|\.\w)" if names else r"(?!)")

    def shown(self, arguments: Arguments) -> Arguments:
        """Arguments as a person reads them: by their words, without those of other tools."""
        if not self:
            return arguments
        shown: dict[str, Value] = {}
        for name, value in self.of_tool(arguments).items():
            words = self.of(name)
            expression = self._calls.get(name)
            tool_of = name if expression is None else expression.tool or name
            shown[words if words not in shown else f"{words} ({tool_of})"] = self._shown_value(value)
        return shown

    def of_tool[T](self, arguments: Mapping[str, T]) -> dict[str, T]:
        """The arguments that play a part for the call that they are about: those of other tools do not."""
        return {name: value for name, value in arguments.items() if self._plays(name, arguments.get("tool"))}

    def tools_of(self, name: str) -> Sequence[str]:
        """The tools of whose calls an argument is read; none if it is read of all."""
        expression = self._calls.get(name)
        return () if expression is None else expression.tools

    def _plays(self, name: str, tool: object) -> bool:
        expression = self._calls.get(name)
        return expression is None or expression.plays_for(tool if isinstance(tool, str) else None)

    def in_file[T](self, arguments: Mapping[str, T]) -> dict[str, T]:
        """Arguments as a file of the session has them: by their expressions, or by the names of facts."""
        known = self.of_tool(arguments)
        keys = [self._key(name) for name in known]
        return {
            key if keys.count(key) == 1 else name: value
            for key, (name, value) in zip(keys, known.items(), strict=True)
        }

    def from_file[T](self, held: Mapping[str, T]) -> dict[str, T]:
        """The arguments that a file of the session has; what it calls otherwise stays as it is."""
        tool = held.get("tool")
        names = self._by_key(tool if isinstance(tool, str) else None)
        return {names[key][0] if len(names.get(key, ())) == 1 else key: value for key, value in held.items()}

    def _by_key(self, tool: str | None) -> Mapping[str, Sequence[str]]:
        """The arguments of a call of a tool by what a file calls them, found once."""
        if tool not in self._keyed:
            names: dict[str, list[str]] = {}
            for name in self.expressions:
                if self._plays(name, tool):
                    names.setdefault(self._key(name), []).append(name)
            self._keyed[tool] = names
        return self._keyed[tool]

    def _key(self, name: str) -> str:
        text = self.expressions.get(name, name)
        return text if self._nouns.get(name, name) == text else name

    def left_out(self, names: Sequence[str], arguments: Arguments) -> tuple[str, ...]:
        """The words for arguments, without those that no rule about the tool of a call reads."""
        return (
            tuple(self.shown({"tool": arguments.get("tool"), **dict.fromkeys(names)}))[1:]
            if self
            else tuple(names)
        )

    def _shown_value(self, value: Value) -> Value:
        if isinstance(value, RecordValue):
            return self._shown_record(value)
        if isinstance(value, tuple):
            return tuple(
                self._shown_record(item) if isinstance(item, RecordValue) else item for item in value
            )
        return value

    def _shown_record(self, record: RecordValue) -> RecordValue:
        fields = tuple(
            (_ELEMENT.sub("", self._fields.get(name, name)), cast("Element", self._shown_value(value)))
            for name, value in record.fields
        )
        return RecordValue(record.type, fields)

    def said(self, text: str) -> str:
        """A text about values, such as a condition, with the expressions in place of their arguments.

        The names of facts stay, and a text in double quotes, which is a value.
        """
        return text if self._pattern is None else self._pattern.sub(self._expression, text)

    def _expression(self, match: re.Match[str]) -> str:
        name, owner = match["name"], match["of"] or ""
        if not name:
            return match[0]
        if name in self._fields and (owner or name not in self.expressions):
            return _ELEMENT.sub(owner, self._fields[name])
        if owner:  # an attribute, which may have the name of an argument
            return f"{self.expressions.get(owner[:-1], owner[:-1])}.{name}"
        return self.expressions[name]


def is_of_run(expression: str) -> bool:
    """Whether an expression of a policy of calls says something of the run, which the call alone does not."""
    return _OF_RUN.search(_QUOTED.sub("", expression)) is not None


def _occurrences(name: str) -> str:
    """The pattern of a made-up name; a single word may be one of a sentence, so it is beside an operator."""
    if "_" in name:
        return re.escape(name)
    return f"{name}(?= (?:[-+*<>=]|!=|is None))|(?<=[-+*<>=] ){name}"


_NOWHERE = WrittenPart(0, 0)
OWN_NAMES = ArgumentWords()
"""The words of a policy whose arguments are declared: their names."""


NO_FILE = WrittenFile("", {}, ())
"""The file of terms that were made of no file."""
