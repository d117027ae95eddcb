"""Redirects: the files that are read and written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from workbench.runs.kinds.shell.command_words import Word
from workbench.runs.kinds.shell.expansions import RunInside, word_of
from workbench.runs.kinds.shell.shell_tree import NotRead
from workbench.runs.kinds.shell.simple_commands import NamedFile, Started
from workbench.runs.kinds.shell.ways import FILES, Way

if TYPE_CHECKING:
    from tree_sitter import Node

_READS = frozenset({"<"})
_WRITES = frozenset({">", ">>", ">|", "&>", "&>>"})
_DUPLICATES = frozenset({">&", "<&"})
_CLOSES = frozenset({">&-", "<&-"})


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
        started.hide("the file of a redirect is only known when it runs", *FILES)
    if operator in _DUPLICATES:
        if target.text is None or not re.fullmatch(r"\d+-?|-", target.text):
            started.files.append(NamedFile(target, started.folders, Way.WRITE))
    elif operator in _READS:
        started.files.append(NamedFile(target, started.folders, Way.READ))
    elif operator in _WRITES:
        started.files.append(NamedFile(target, started.folders, Way.WRITE))
    else:
        raise NotRead(f"it has the redirect {operator}, which is not followed")
    if target.text is not None and re.match(r"/+dev/+(tcp|udp)\b", target.text):
        started.hide("a redirect opens a connection")
    return words[1:]
