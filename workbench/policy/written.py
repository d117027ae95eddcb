"""The file that a person wrote, where the policy that is evaluated was made from it.

A policy of calls comes to a policy over plain arguments. Its rules and clauses are read, shown and edited in
the file of the person: this has their lines there, the arguments that stand for its expressions, and the words
for these arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench.model import Argument

EXPRESSION = "expression"
"""The method of an argument that stands for an expression of the file."""
_ELEMENT = re.compile(r"\bx\.")


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """A rule or clause in the file of the person: its lines from 1, and the condition of a clause.

    ``tool`` is the tool whose calls it is about, if the clause of the file is one clause for each of several
    tools.
    """

    line: int
    end_line: int
    source: str = ""
    tool: str = ""


@dataclass(frozen=True)
class WrittenFile:
    """The file of the person: its text, its rules by name and clauses by id, and its arguments."""

    text: str
    parts: Mapping[str, WrittenPart]
    arguments: tuple[Argument, ...]

    @cached_property
    def words(self) -> ArgumentWords:
        """The words for the arguments."""
        return ArgumentWords(self.arguments)


class ArgumentWords:
    """The words for arguments that stand for expressions; any other argument is called by its name."""

    def __init__(self, arguments: Sequence[Argument] = ()) -> None:
        """Take the arguments; those of no expression are left as they are."""
        self.expressions: dict[str, str] = {}
        self._nouns: dict[str, str] = {}
        fields: dict[str, str] = {}
        for argument in arguments:
            source = argument.extraction
            if source is None or source.method != EXPRESSION:
                continue
            text = source.options.get("of")
            self.expressions[argument.name] = text if isinstance(text, str) else argument.name
            self._nouns[argument.name] = argument.description or self.expressions[argument.name]
            of_elements = source.options.get("fields")
            if isinstance(of_elements, dict):
                fields |= {path.rpartition(".")[2]: str(words) for path, words in of_elements.items()}
        self._fields = fields
        names = "|".join(map(re.escape, sorted((*self.expressions, *fields), key=len, reverse=True)))
        quoted = r'"(?:[^"\\]|\\.)*"'
        self._pattern = re.compile(rf"{quoted}|(?P<of>\b\w+\.)?\b(?P<name>{names})\b") if names else None

    def __bool__(self) -> bool:
        return bool(self.expressions)

    def of(self, name: str) -> str:
        """The words for an argument, or for a field of it (``name.field``): its noun, else its expression."""
        argument, dot, path = name.partition(".")
        if not dot:
            argument, bracket, path = name.partition("[")
            dot = bracket
        words = self._nouns.get(argument, argument)
        return f"{words}{dot}{self.said(path)}" if dot else words

    def said(self, text: str) -> str:
        """A text about values, such as a condition, with the expressions in place of their arguments.

        A text in double quotes is a value, and stays.
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


OWN_NAMES = ArgumentWords()
"""The words of a policy whose arguments are declared: their names."""
