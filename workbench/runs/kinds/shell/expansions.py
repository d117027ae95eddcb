"""The word of a node of the tree; the commands in its substitutions are noted as started."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from workbench.runs.kinds.shell.command_words import (
    UNKNOWN,
    Word,
    ansi_quoted,
    double_quoted,
    joined,
    single_quoted,
    unquoted,
)
from workbench.runs.kinds.shell.here_documents import text_of_cat
from workbench.runs.kinds.shell.shell_tree import NotRead, text_of
from workbench.runs.kinds.shell.simple_commands import Started

if TYPE_CHECKING:
    from tree_sitter import Node

type RunInside = Callable[[Sequence[Node], Started], None]

_ARITHMETIC = re.compile(r"\$\(\([\d\s+\-*/%()<>=&|!~^?:,]*\)\)")
_NAMED = re.compile(r"\$(\w+|[@*#?$!0-9_-])")
# The value of a variable, its default, its length, or its value without a beginning or an end.
_PLAIN_EXPANSION = re.compile(r"\$\{(\w+|[@*#?$!]|#\w+)(\}|(:?[-+]|##?|%%?))", re.ASCII)
_LITERAL = {
    "raw_string": single_quoted,
    "ansi_c_string": ansi_quoted,
}


def word_of(node: Node, started: Started, run_inside: RunInside) -> Word:
    """The word of a node."""
    kind = node.type
    if kind in {"word", "number", "test_operator", "variable_name"}:
        return unquoted(text_of(node))
    if kind in _LITERAL:
        return _LITERAL[kind](text_of(node))
    if kind == "string":
        return _string(node, started, run_inside)
    if kind == "concatenation":
        return _concatenation(node, started, run_inside)
    if kind in {"extglob_pattern", "regex"}:
        if re.search(r"[$`<>()]", text_of(node).replace("\\$", "")):
            started.hide("a pattern computes")
        return UNKNOWN
    _expand(node, started, run_inside)
    return UNKNOWN


def _string(node: Node, started: Started, run_inside: RunInside) -> Word:
    inner = [child for child in node.children if child.is_named and child.type != "string_content"]
    if not inner:
        return double_quoted(text_of(node))
    parts: list[Word] = []
    for child in node.children:
        if child.type == "string_content":
            parts.append(double_quoted(f'"{text_of(child)}"'))
        elif child.is_named:
            _expand(child, started, run_inside)
            text = text_of_cat(child, started) if child.type == "command_substitution" else None
            parts.append(Word(text))
    # "$@" may be no word or several.
    several = re.search(r"\$[{]?!?[@*\w]*[@*]", text_of(node))
    whole = joined(parts) if _is_covered(node) else Word(None)
    return whole if whole.text is not None else Word(None, is_one=not several)


def _is_covered(node: Node) -> bool:
    """Whether the children of a string follow each other without a gap, which would be text too."""
    children = node.children
    return all(one.end_byte == other.start_byte for one, other in pairwise(children))


def _concatenation(node: Node, started: Started, run_inside: RunInside) -> Word:
    raw = text_of(node)
    parts = [word_of(child, started, run_inside) for child in node.children]
    words = [text_of(child) for child in node.children if child.type in {"word", "number"}]
    unquoted_text = "".join(words)
    if "{" in unquoted_text and ("," in raw or ".." in raw):
        return UNKNOWN
    if "[" in unquoted_text or "(" in unquoted_text:
        return UNKNOWN
    # A quoted name of a user is plain text, and only the beginning of a word is a folder.
    tilde = raw.startswith("~")
    if (tilde and "/" not in words[0]) or any("~" in word for word in words[tilde:]):
        return Word(None)
    return joined(parts)


def _expand(node: Node, started: Started, run_inside: RunInside) -> None:
    """Note the commands that an expansion or a substitution starts."""
    kind, text = node.type, text_of(node)
    if kind in {"command_substitution", "process_substitution"}:
        if text.startswith("`") and "\\" in text:
            raise NotRead("it has a backslash between backquotes")
        run_inside(node.children[1:-1], started)
    elif kind == "expansion":
        _expand_braces(node, started, run_inside)
    elif kind == "arithmetic_expansion":
        if not _ARITHMETIC.fullmatch(text):
            started.hide("it computes with values that may name commands")
    elif kind != "simple_expansion":
        raise NotRead(f"it has a {kind.replace('_', ' ')} where it is not followed")
    elif not _NAMED.fullmatch(text.strip()):
        raise NotRead("it has a $ that is not followed")


def _expand_braces(node: Node, started: Started, run_inside: RunInside) -> None:
    """Note the commands in a variable's expansion and in its replacement."""
    text = text_of(node)
    if not _PLAIN_EXPANSION.match(text):
        started.hide(f"what {text[:30]} gives is not followed")
    for child in node.children:
        if child.is_named and child.type not in {"variable_name", "special_variable_name"}:
            word_of(child, started, run_inside)
