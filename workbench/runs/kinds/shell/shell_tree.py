"""The tree of a shell text, read by tree-sitter-bash; every character of the text is accounted for."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

DEEPEST = 80
# For a text that is not a command the parser takes quadratic time in the number of signs.
MOST_SIGNS, MOST_BARE_SIGNS = 6000, 2000
MOST_PARTS = 60_000
_SIGN = re.compile(r"[^\w\t ./-]")
_QUOTED_TEXT = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)

# Between the parts of a command are blanks and continued lines; between commands also line ends. A continued
# line alone separates nothing: it joins the text around it.
_BLANK = re.compile(rb"(?:(?:\\\n)*[ \t](?:[ \t]|\\\n)*)?")
_SPACE = re.compile(rb"(?:(?:\\\n)*[ \t\n](?:[ \t\n]|\\\n)*)?")
_NOTHING = re.compile(rb"")
_ACROSS_LINES = frozenset({
    "program", "list", "pipeline", "subshell", "compound_statement", "if_statement", "elif_clause",
    "else_clause",
    "while_statement", "do_group", "for_statement", "case_statement", "case_item", "command_substitution",
    "process_substitution", "heredoc_redirect", "redirected_statement", "array",
})  # fmt: skip
_STRUCTURE = _ACROSS_LINES | {
    "command", "command_name", "concatenation", "variable_assignment", "variable_assignments",
    "declaration_command", "unset_command", "test_command", "negated_command", "file_redirect",
    "herestring_redirect", "unary_expression", "binary_expression", "parenthesized_expression",
}  # fmt: skip
_OF_WORDS = frozenset({
    "command", "declaration_command", "unset_command", "file_redirect", "array", "for_statement",
})  # fmt: skip
# Nodes that their own reader reads as a text; commands inside them are parts of the tree again.
_QUOTED = frozenset({"string", "expansion"})
_LEAVES = frozenset({
    "word", "number", "raw_string", "ansi_c_string", "string_content", "comment", "variable_name",
    "special_variable_name", "file_descriptor", "heredoc_start", "heredoc_body", "heredoc_end",
    "simple_expansion", "arithmetic_expansion", "extglob_pattern", "regex", "test_operator",
})  # fmt: skip


class NotRead(Exception):
    """A text that is not understood as a whole, with the reason."""


def text_of(node: Node) -> str:
    """The characters of a node."""
    return (node.text or b"").decode()


def tree_of(text: str) -> Node:
    """The root of the tree of a text; raises NotRead if a part of the text is not known."""
    # Imported here, so that code that reads no command works without the library.
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    signs = len(_SIGN.findall(text)), len(_SIGN.findall(_QUOTED_TEXT.sub("", text)))
    if signs[0] > MOST_SIGNS or signs[1] > MOST_BARE_SIGNS:
        raise NotRead("it has too many signs that mean something to the shell")
    _check_characters(text)
    source = text.encode()
    root = Parser(Language(tree_sitter_bash.language())).parse(source).root_node
    if root.has_error:
        raise NotRead("it is no shell command that can be read")
    if root.descendant_count > MOST_PARTS:
        raise NotRead("it has too many words")
    if not _SPACE.fullmatch(source[: root.start_byte]) or not _SPACE.fullmatch(source[root.end_byte :]):
        raise NotRead("a part of it is not read")
    _check_covered(root, source)
    return root


def _check_characters(text: str) -> None:
    # Stricter than for SQL and policies. The blanks of a shell depend on its locale, so only the three of
    # ASCII are accepted. Private and unassigned characters (Co, Cn) are refused, as their look is unknown.
    for char in set(text):
        if char in "\n\t ":
            continue
        if char.isspace() or unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
            raise NotRead(f"it holds the character U+{ord(char):04X}, which is not seen")


def _check_covered(root: Node, source: bytes) -> None:
    """Raise NotRead unless every character is in a known leaf or between the parts of a known node."""
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > DEEPEST:
            raise NotRead("it is nested too deeply")
        if not node.is_named or node.type in _LEAVES:
            continue
        children = node.children
        if node.type in _STRUCTURE:
            _check_gaps(node, children, source)
        elif node.type not in _QUOTED:
            raise NotRead(f"it has a {node.type.replace('_', ' ')}, which is not followed")
        waiting.extend((child, depth + 1) for child in children)


def _check_gaps(node: Node, children: list[Node], source: bytes) -> None:
    gap = _SPACE if node.type in _ACROSS_LINES else _BLANK
    if node.type == "concatenation":
        gap = _NOTHING
    end, words = node.start_byte, False
    for child in children:
        if child.start_byte < end or not gap.fullmatch(source, end, child.start_byte):
            raise NotRead("a part of it is not read")
        # Two words without a blank between them are one word.
        joined = words and child.is_named and child.start_byte == end and node.type in _OF_WORDS
        if joined and child.type not in {"file_redirect", "herestring_redirect"}:
            raise NotRead("a part of it is not read")
        end, words = child.end_byte, child.is_named
    if not gap.fullmatch(source, end, node.end_byte):
        raise NotRead("a part of it is not read")
