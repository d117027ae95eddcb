"""The policy file as rows: verdicts in the gutter, problems under their lines, long parts folded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from workbench.app.policy_sections import Section, SectionKind, sections
from workbench.app.session_state import ClauseState, SessionState
from workbench.clean_text import code_line, one_line
from workbench.model import Problem, ProofStatus
from workbench.tui.code_rows import code_lines
from workbench.tui.text_runs import Line, TextRun, accent, bad, coded, line, muted, strong
from workbench.tui.verdict_signs import line_signs
from workbench.tui.widgets.lines import Row, paragraph, plural

if TYPE_CHECKING:
    from workbench.app.policy import PolicyTerms, Scalar, Table

GUTTER = 8
_NO_SIGN = TextRun(" ")
PROBLEM = "problem"
LONGEST_OPEN = 3
"""A section of up to this many lines is never folded."""


def file_rows(state: SessionState, turned: Collection[str]) -> Iterator[Row]:
    """The whole file; ``turned`` has the sections whose folding differs from the default."""
    signs = line_signs(state)
    problems: dict[int, list[Problem]] = {}
    for problem in state.problems:
        problems.setdefault(problem.line, []).append(problem)
    yield from map(_problem, problems.pop(0, ()))
    for section in sections(state):
        if is_folded(state, section, turned):
            yield _folded(state, section, signs)
            continue
        is_text = section.kind is SectionKind.TEXT
        for number in range(section.first, section.last + 1):
            key = f"{SectionKind.TEXT}:{number}" if is_text else section.key
            for content, hang in code_lines(state.policy, number, number):
                empty = is_text and not "".join(run.text for run in content).strip()
                gutter = _gutter(number, signs.get(number, _NO_SIGN))
                yield Row(line(gutter, content), "" if empty else key, hang=GUTTER + hang)
            yield from map(_problem, problems.pop(number, ()))
    yield from map(_problem, chain.from_iterable(problems.values()))
    if not state.policy:
        yield paragraph(muted("There is no policy yet. Answer what is asked, or e writes it."))


def can_fold(section: Section) -> bool:
    """Whether a section can be folded into one line."""
    if section.kind is SectionKind.IMPORTS:
        return section.lines > 1
    return section.kind not in (SectionKind.TEXT, SectionKind.RULE) and section.lines > LONGEST_OPEN


def is_folded(state: SessionState, section: Section, turned: Collection[str]) -> bool:
    """Whether a section is shown as one line.

    A section with a problem never is. By default a clause that is refuted, vacuous or unknown is not, and
    every other section is; a key in ``turned`` inverts the default.
    """
    if not can_fold(section) or any(
        section.first <= problem.line <= section.last for problem in state.problems
    ):
        return False
    clause = _clause(state, section)
    wrong = clause is not None and clause.status not in (None, ProofStatus.PROVED)
    return (section.key in turned) is wrong


def problem_key(problem: Problem) -> str:
    """The key of the rows of a problem: its place in the file."""
    return f"{PROBLEM}:{problem.line}:{problem.column}"


def place_of(state: SessionState, key: str) -> tuple[int, int]:
    """The first line (from 1) of the row with a key, and the column of a problem; 0 where there is none."""
    kind, _, name = key.partition(":")
    if kind == PROBLEM:
        line, _, column = name.partition(":")
        return int(line), int(column)
    if kind == SectionKind.TEXT:
        return int(name), 0
    return next((section.first for section in sections(state) if section.key == key), 0), 0


def key_of(state: SessionState, number: int) -> str:
    """The key of the row that has a line (from 1)."""
    section = next((section for section in sections(state) if section.first <= number <= section.last), None)
    if section is None:
        return ""
    return f"{SectionKind.TEXT}:{number}" if section.kind is SectionKind.TEXT else section.key


# --- lines


def _gutter(number: int, sign: TextRun, mark: str = " ") -> Line:
    return line(muted(f"{number:>4} "), sign, muted(mark), " ")


def _problem(problem: Problem) -> Row:
    words = bad(f"✗ {one_line(problem.message)} "), muted(problem.instead)
    return paragraph(*words, key=problem_key(problem), indent=GUTTER, hang=2)


# --- parts of a line


_NOUNS = {SectionKind.IMPORTS: "imports", SectionKind.WORDS: "names", SectionKind.TABLE: "table"}


def _folded(state: SessionState, section: Section, signs: Mapping[int, TextRun]) -> Row:
    clause, table = _clause(state, section), _table(state.terms, section)
    place = section.first if clause is None else clause.line
    gutter = _gutter(section.first, signs.get(place, _NO_SIGN), "▸")
    if clause is not None:
        names = f"{', '.join(clause.clause.requirements)}  "
        head = line(strong(f"{clause.clause.id} "), accent(names), _clause_text(clause))
    elif table is not None:
        head = line(coded(f"{table.name}  "), muted(_table_words(table)))
    else:
        head = line(muted(f"{_NOUNS[section.kind]}  "), coded(section.name))
    return paragraph(gutter, head, muted(f"  {section.lines} lines"), key=section.key, hang=GUTTER + 2)


def _clause_text(clause: ClauseState) -> TextRun:
    """The comment above a clause, else its condition."""
    comment = one_line(clause.clause.comment)
    if comment:
        return TextRun(comment)
    return coded(code_line(clause.source))


def _clause(state: SessionState, section: Section) -> ClauseState | None:
    if section.kind is not SectionKind.CLAUSE:
        return None
    return next((clause for clause in state.clauses if clause.clause.id == section.name), None)


def _table(terms: PolicyTerms | None, section: Section) -> Table | None:
    is_table = section.kind is SectionKind.TABLE and terms is not None
    return terms.tables.get(section.name) if is_table and terms is not None else None


def _table_words(table: Table) -> str:
    """How many keys and values a table has."""
    values: set[Scalar] = set()
    for value in table.entries.values():
        values |= value if isinstance(value, frozenset) else {value}
    return f"{plural(len(table.entries), 'key')}, {plural(len(values), 'value')}"
