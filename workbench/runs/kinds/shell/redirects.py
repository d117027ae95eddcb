"""Redirects: the files that are read and written, and the texts given in the command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from workbench.runs.kinds.shell.command_words import Word
from workbench.runs.kinds.shell.expansions import RunInside, word_of
from workbench.runs.kinds.shell.shell_tree import NotRead, text_of
from workbench.runs.kinds.shell.simple_commands import Started

if TYPE_CHECKING:
    from tree_sitter import Node

_READS = frozenset({"<"})
_WRITES = frozenset({">", ">>", ">|", "&>", "&>>"})
_DUPLICATES = frozenset({">&", "<&"})
_CLOSES = frozenset({">&-", "<&-"})
_DELIMITER = re.compile(r"(['\"]?)(\w+)\1", re.ASCII)
# No text that begins on the line of a here-document may end on a later line.
_REST = re.compile(rb"[^'\"`\\()$\n<]*\n")


def redirect(node: Node, started: Started, run_inside: RunInside) -> list[Word]:
    """Note the file of a redirect; return the words after it, which belong to its command."""
    operator = next((child.type for child in node.children if not child.is_named), "")
    words = [
        word_of(child, started, run_inside)
        for child in node.children
        if child.is_named and child.type != "file_descriptor"
    ]
    if operator in _CLOSES:
        return words
    if not words:
        raise NotRead("it has a redirect without a file")
    target = words[0]
    if not target.is_one:
        started.hide("the file of a redirect is only known when it runs", only_files=True)
    if operator in _DUPLICATES:
        if target.text is None or not re.fullmatch(r"\d+-?|-", target.text):
            started.writes.append((target, started.folders))
    elif operator in _READS:
        started.reads.append((target, started.folders))
    elif operator in _WRITES:
        started.writes.append((target, started.folders))
    else:
        raise NotRead(f"it has the redirect {operator}, which is not followed")
    if target.text is not None and re.match(r"/+dev/+(tcp|udp)\b", target.text):
        started.hide("a redirect opens a connection")
    return words[1:]


def here_document(node: Node, started: Started) -> None:
    """Check that a here-document ends where it seems to, and hide it if it computes."""
    parts = {child.type: child for child in node.children}
    start, end = parts.get("heredoc_start"), parts.get("heredoc_end")
    root = node
    while root.parent is not None:
        root = root.parent
    source = root.text or b""
    offset = root.start_byte
    if start is None or end is None or started.depth != 1 or source.count(b"<<") != 1:
        raise NotRead("it has a here-document that is not followed")
    delimiter = _DELIMITER.fullmatch(text_of(start))
    rest_of_line = _REST.match(source, start.end_byte - offset)
    if delimiter is None or rest_of_line is None:
        raise NotRead("it has a here-document that is not followed")
    place = rest_of_line.end()
    for line in source[place:].split(b"\n"):
        line_without_tabs = line.lstrip(b"\t") if "<<-" in parts else line
        if line_without_tabs == delimiter.group(2).encode():
            break
        place += len(line) + 1
    if place + offset > end.start_byte or source[place : end.end_byte - offset].strip(b"\t") != (
        end.text or b""
    ):
        raise NotRead("it has a here-document whose end is not clear")
    body = source[rest_of_line.end() : place]
    if not delimiter.group(1) and re.search(rb"[`\\]|\$[({]", body):
        started.hide("a here-document computes")
