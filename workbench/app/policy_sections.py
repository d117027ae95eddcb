"""The sections of a policy file: its rules and clauses, and the text between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import groupby

from workbench.app.session_state import SessionState
from workbench.model import WorkbenchError
from workbench.policy.file_parts import FilePart, PartKind, file_parts


class SectionKind(StrEnum):
    """The kinds of sections of the file."""

    RULE = "rule"
    CLAUSE = "clause"
    IMPORTS = "imports"
    TABLE = "table"
    WORDS = "words"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Section:
    """Lines of the file that belong together: ``first`` to ``last`` from 1, their kind, and their name."""

    first: int
    last: int
    kind: SectionKind
    name: str

    @property
    def key(self) -> str:
        """The kind and name of the section, which no other section of the file has."""
        return f"{self.kind}:{self.name}"

    @property
    def lines(self) -> int:
        """The number of lines of the section."""
        return self.last - self.first + 1


_KINDS = {
    PartKind.IMPORT: SectionKind.IMPORTS,
    PartKind.TABLE: SectionKind.TABLE,
    PartKind.CONSTANT: SectionKind.WORDS,
}


def sections(state: SessionState) -> Sequence[Section]:
    """The sections of the file in order, with rules and clauses only if the text is in the dialect."""
    terms = state.terms
    if terms is None or terms.file.text != state.policy:
        return _sections(state.policy, frozenset[str](), ())
    rules: frozenset[str] = frozenset(rule.name for rule in terms.rules)
    return _sections(
        state.policy, rules, tuple((terms.file.part(clause).line, clause.id) for clause in terms.clauses)
    )


@lru_cache(maxsize=8)
def _sections(text: str, rules: frozenset[str], clauses: tuple[tuple[int, str], ...]) -> Sequence[Section]:
    filled: list[Section] = []
    line, last = 1, len(text.splitlines())
    for section in _named(text, rules, clauses):
        if section.first > line:
            filled.append(Section(line, section.first - 1, SectionKind.TEXT, str(line)))
        if section.first >= line:
            filled.append(section)
            line = section.last + 1
    if line <= last:
        filled.append(Section(line, last, SectionKind.TEXT, str(line)))
    return filled


def _named(text: str, rules: Collection[str], clauses: Iterable[tuple[int, str]]) -> Iterator[Section]:
    """The imports as one section, each table, each group of other named parts, each rule and clause."""
    try:
        parts = file_parts(text)
    except WorkbenchError:
        return
    for kind, group in groupby(parts, lambda part: _KINDS.get(part.kind, SectionKind.TEXT)):
        members = list(group)
        if kind is SectionKind.TABLE:
            yield from (Section(part.line, part.last, kind, part.name) for part in members)
        elif kind is not SectionKind.TEXT:
            names = ", ".join(part.name for part in members if part.name)
            yield Section(members[0].line, members[-1].last, kind, names)
        for part in members:
            if part.kind is PartKind.FUNCTION and part.name in rules:
                yield Section(part.line, part.last, SectionKind.RULE, part.name)
            yield from _clauses(part, clauses)


def _clauses(contract: FilePart, clauses: Iterable[tuple[int, str]]) -> Iterator[Section]:
    """The clauses, each with the comment above it, which describes the clause."""
    for part in contract.body:
        ids = [name for line, name in clauses if part.line <= line <= part.last]
        yield from (Section(part.first, part.last, SectionKind.CLAUSE, name) for name in ids[:1])
