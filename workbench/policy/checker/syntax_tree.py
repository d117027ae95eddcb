"""Parsing of a policy text to a syntax tree, with limits on characters, size, nesting and comments."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import unicodedata
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import cast
from weakref import WeakKeyDictionary

from workbench.model import Problem
from workbench.policy.other_file import POLICY, other_file
from workbench.policy.problems import PolicyError, Problems
from workbench.policy.result_cache import Recent

MOST_CHARACTERS = 1_000_000
MOST_LINES = 15_000
DEEPEST_NESTING = 60
MOST_PLACES = 30

REQUIREMENT = r"[A-Z][A-Za-z]*\d+(?:\.\d+)*"
_IDS = re.compile(rf"\s*({REQUIREMENT}(?:\s*,\s*{REQUIREMENT})*)\s*:\s*(.*)", re.DOTALL)
# A person reads a policy, so no character may be invisible, or depend on the font (private ones, Co).
# Unassigned characters (Cn) are allowed: they differ between versions of Python, and the dialect must not.
# Blanks other than ASCII blanks (Zs) are refused by Python's own parser outside strings.
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


@dataclass(frozen=True)
class ReadSource:
    """A text that parses: its tree, and its comments by line (without the ``#``).

    ``alone`` are the lines with only a comment; ``places`` is the largest number of decimal places among the
    decimal constants, at least 2. All callers that read the same text share one result, so its tree must not
    be changed.
    """

    source: str
    tree: ast.Module
    comments: dict[int, str]
    alone: frozenset[int]
    places: int = 2

    def comment_above(self, line: int) -> str:
        """The comment lines directly above a line, joined by spaces; empty if there is none."""
        lines: list[str] = []
        while (line := line - 1) in self.alone:
            lines.append(self.comments[line])
        return " ".join(reversed(lines))


def split_requirements(text: str) -> tuple[tuple[str, ...], str]:
    """Split ``R3, R4: message`` into the requirement ids and the message."""
    match = _IDS.fullmatch(text)
    if match is None:
        return (), text.strip()
    return tuple(part.strip() for part in match.group(1).split(",")), match.group(2).strip()


_recent: Recent[str, ReadSource] = Recent(8)
_scanned: Recent[tuple[str, int, int | None], tuple[int, int]] = Recent(4096)


def read(source: str) -> ReadSource:
    """Parse a policy text; a text that was parsed recently is not parsed again.

    Raises ``PolicyError`` for a text that is too large, is nested too deeply, is not Python, or has invisible
    or confusable characters.
    """
    source = source.removeprefix("\ufeff").replace("\r\n", "\n")
    known_source = _recent.get(source)
    if known_source is not None:
        return known_source
    read_source = _read(source)
    _recent.put(source, read_source)
    return read_source


def _read(source: str) -> ReadSource:
    _check_size(source)
    problems = Problems(source)
    _check_characters(source, problems)
    problems.raise_if_any()
    tree = _parse(source)
    places = _scan_all(tree, problems)
    problems.raise_if_any()
    comments, alone = _tokens(source, problems)
    problems.raise_if_any()
    return ReadSource(source, tree, comments, alone, places)


def _check_size(source: str) -> None:
    lines = source.count("\n") + 1
    if len(source) > MOST_CHARACTERS or lines > MOST_LINES:
        message = f"The policy is too large: {lines} lines, {len(source)} characters."
        limit = f"Keep it below {MOST_LINES} lines and {MOST_CHARACTERS} characters."
        raise PolicyError([Problem(message, limit)])


def _check_characters(source: str, problems: Problems) -> None:
    if source.replace("\n", "").isprintable():
        return
    for number, line in enumerate(source.split("\n"), 1):
        if line.isprintable():
            continue
        for column, character in enumerate(line, 1):
            if character == "\t":
                problems.add_at(number, column, "There is a tab here.", "Indent with four spaces.")
                break
            if unicodedata.category(character) in _INVISIBLE:
                problems.add_at(number, column, f"There is an invisible character here: {_name(character)}.",
                                "Remove it, or write it as an escape in the string.")  # fmt: skip
                break


def _name(character: str) -> str:
    code = f"U+{ord(character):04X}"
    name = unicodedata.name(character, "")
    return f"{code} ({name})" if name else code


def _parse(source: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)
            return _parse_parts(source) or ast.parse(source)
    except SyntaxError as error:
        message = f"This is not valid Python: {error.msg}."
        if "integer string conversion" in error.msg:
            message = f"A number has more than {sys.get_int_max_str_digits():,} digits, and is not read."
        elif other := other_file(source, POLICY):
            message = f"This is not valid Python: it looks like {other}."
        place = (error.lineno or 0, max(error.offset or 0, 0))
    except (RecursionError, MemoryError):
        message, place = "The text is nested too deeply to be read.", (0, 0)
    except ValueError as error:
        message, place = f"This is not valid Python: {error}.", (0, 0)
    instead = "Split it into functions." if "deeply" in message else "Correct the text at this place."
    raise PolicyError([Problem(message, instead, *place)])


@lru_cache(maxsize=8)
def statements(source: str) -> tuple[ast.stmt, ...]:
    """The statements of a file, which are only read; of a text that changed a little, little is parsed.

    Raises as ``ast.parse`` does.
    """
    return tuple((_parse_parts(source) or ast.parse(source)).body)


_parsed: Recent[tuple[int, str], list[ast.stmt]] = Recent(4096)
_alone: WeakKeyDictionary[ast.stmt, str] = WeakKeyDictionary()
"""The texts of the parts that are one statement each."""
_FUNCTION = re.compile(r"^def ", re.MULTILINE)
FEW_PARTS = 8
"""The new parts that are parsed each alone: more of them, if they are not few, are with the whole text."""


def _parse_parts(source: str) -> ast.Module | None:
    """The tree, combined from the trees of parts that each begin at a function and are valid alone.

    If the parts are valid texts, the trees of the parts in order are the tree of the whole text. None if a
    part is not valid, for example if a line inside a string begins with ``def``.
    """
    starts = [0, *(match.start() for match in _FUNCTION.finditer(source) if match.start())]
    texts = [source[start:end] for start, end in pairwise([*starts, len(source)])]
    lines = list(accumulate((text.count("\n") for text in texts), initial=0))
    parts = [*zip(lines, texts, strict=False)]
    if sum(_parsed.get(part) is None for part in parts) > max(FEW_PARTS, len(parts) // 8):
        return _parse_whole(source, parts)
    statements: list[ast.stmt] = []
    for line, part in parts:
        parsed = _parsed.get((line, part))
        if parsed is None:
            try:
                parsed = ast.parse("\n" * line + part).body
            except (SyntaxError, ValueError):
                return None
            _keep((line, part), parsed)
        statements += parsed
    return ast.Module(statements, [])


def _parse_whole(source: str, parts: Sequence[tuple[int, str]]) -> ast.Module:
    """The tree of a text of which most parts are new; if each of its statements is in a part, these are kept.

    A part at whose lines whole statements stand, and nothing of others, is valid alone.
    """
    tree = ast.parse(source)
    if "\r" in source:
        return tree  # it ends lines, which parts do not count
    ends = [*(line for line, _ in parts[1:]), source.count("\n") + 1]
    found: list[list[ast.stmt]] = [[] for _ in parts]
    place = 0
    for statement in tree.body:
        first = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))])
        while first > ends[place]:
            place += 1
        if (statement.end_lineno or statement.lineno) > ends[place]:
            return tree
        found[place].append(statement)
    for part, statements in zip(parts, found, strict=True):
        _keep(part, statements)
    return tree


def _keep(part: tuple[int, str], statements: list[ast.stmt]) -> None:
    """Keep the statements of a part."""
    _parsed.put(part, statements)
    if len(statements) == 1:
        _alone[statements[0]] = part[1]


def text_of(statement: ast.stmt) -> str:
    """The text of a statement, with what stands around it; as Python writes it where it is not at hand."""
    return _alone.get(statement) or ast.unparse(statement)


def _scan_all(tree: ast.Module, problems: Problems) -> int:
    """Check the nesting of each statement; return the decimal places of the whole text."""
    most_places = 2
    for statement in tree.body:
        last = statement.end_lineno or statement.lineno
        text = "\n".join(problems.lines[statement.lineno - 1 : last])
        key = (text, statement.col_offset, statement.end_col_offset)
        depth_and_places = _scanned.get(key)
        if depth_and_places is None:
            depth_and_places = _scan(statement)
            _scanned.put(key, depth_and_places)
        depth, places = depth_and_places
        if depth > DEEPEST_NESTING:
            problems.add(_deep(statement), f"This is nested more than {DEEPEST_NESTING} levels deep.",
                         "Name its parts, or move them to functions.")  # fmt: skip
        most_places = max(most_places, places)
    return min(most_places, MOST_PLACES)


def nodes_in(tree: ast.AST) -> list[ast.AST]:
    """A node with everything in it, level by level, but for operators and the like, which have no parts."""
    nodes, level = [tree], [tree]
    while level:
        level = _parts_of(level)
        nodes += level
    return nodes


def _parts_of(level: Sequence[ast.AST]) -> list[ast.AST]:
    """The parts of some nodes."""
    parts: list[ast.AST] = []
    for node in level:
        own = node.__dict__
        for field in fields_with_parts(type(node)):
            value = own.get(field)
            if isinstance(value, ast.AST):
                parts.append(value)
            elif isinstance(value, list):
                parts += [part for part in cast("list[object]", value) if isinstance(part, ast.AST)]
    return parts


@cache
def fields_with_parts(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of nodes that may hold nodes with parts of their own."""
    if issubclass(kind, ast.Constant):
        return ()
    return tuple(field for field in kind._fields if field not in _WITHOUT_PARTS)


_WITHOUT_PARTS = {"arg", "attr", "ctx", "id", "kind", "op", "ops", "type_comment"}
"""Fields with names, operators and contexts."""


def _scan(statement: ast.stmt) -> tuple[int, int]:
    """The nesting depth of a statement, as far as it may be, and the most places of its decimal constants."""
    depth, places = 0, 0
    level: list[ast.AST] = [statement]
    while level and depth <= DEEPEST_NESTING:
        depth += 1
        for node in level:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Decimal":
                for argument in node.args:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        places = max(places, len(argument.value.partition(".")[2]))
        level = _parts_of(level)
    return depth, places


def _deep(statement: ast.stmt) -> ast.AST:
    """The place of what is nested too deeply: the nearest node around it that has one."""
    level: list[tuple[ast.AST, ast.AST]] = [(statement, statement)]
    for _ in range(DEEPEST_NESTING):
        level = [
            (part, part if hasattr(part, "lineno") else place)
            for node, place in level
            for part in _parts_of((node,))
        ]
    return level[0][1]


def _tokens(source: str, problems: Problems) -> tuple[dict[int, str], frozenset[int]]:
    plain_comments = _plain_comments(problems.lines)
    if plain_comments is not None:
        return plain_comments
    comments: dict[int, str] = {}
    alone: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                comments[token.start[0]] = token.string.lstrip("#").strip()
                if not token.line[: token.start[1]].strip():
                    alone.add(token.start[0])
            elif token.type == tokenize.NAME and not token.string.isascii():
                _report_name(token, problems)
    except (tokenize.TokenError, SyntaxError, ValueError) as error:
        problems.add_at(0, 0, f"The text cannot be split into words: {error}.", "Correct the text.")
    return comments, frozenset(alone)


def _plain_comments(lines: list[str]) -> tuple[dict[int, str], frozenset[int]] | None:
    """The comments of a text in which every ``#`` begins the only content of its line.

    None if a ``#`` occurs elsewhere, if a string may span lines, or if a name may have other letters than
    ASCII, as only comments and one-line docstrings are seen not to: then only tokens can tell.
    """
    comments: dict[int, str] = {}
    long_string = False
    for number, line in enumerate(lines, 1):
        if line.isascii() and "#" not in line and '"""' not in line:
            long_string = long_string or "'''" in line or line.endswith("\\")
            continue
        stripped_line = line.strip()
        is_comment = stripped_line.startswith("#") and not long_string
        if "#" in line and not is_comment:
            return None
        if not line.isascii() and not is_comment and (long_string or not _is_docstring(stripped_line)):
            return None
        if line.count('"""') % 2 or "'''" in line or line.endswith("\\"):
            long_string = True
        if is_comment:
            comments[number] = stripped_line.lstrip("#").strip()
    return comments, frozenset(comments)


def _is_docstring(line: str) -> bool:
    """Whether a line outside of strings is one string."""
    is_whole = line.startswith('"""') and line.endswith('"""') and line.count('"""') == 2
    return is_whole and "\\" not in line and len(line) >= 6


def _report_name(token: tokenize.TokenInfo, problems: Problems) -> None:
    column, character = next((at, c) for at, c in enumerate(token.string) if not c.isascii())
    folded = unicodedata.normalize("NFKC", token.string)
    note = f", which Python reads as `{folded}`" if folded != token.string else ""
    problems.add_at(
        token.start[0],
        token.start[1] + column + 1,
        f"The name `{token.string}` contains {_name(character)}{note}.",
        "Write names with plain letters, digits and underscores; "
        "agent.toml gives one to a tool by `class_name`, to a field by `name`.",
    )
