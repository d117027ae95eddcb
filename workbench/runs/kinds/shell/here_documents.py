"""Here-documents: texts given in the command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.runs.kinds.shell.shell_tree import NotRead, text_of
from workbench.runs.kinds.shell.simple_commands import Started

if TYPE_CHECKING:
    from tree_sitter import Node

_DELIMITER = re.compile(r"(['\"]?)(\w+)\1", re.ASCII)
# No text that begins on the line of a here-document may end on a later line.
_BEGINS = re.compile(rb"(?<!<)<<(?!<)")
_REST = re.compile(rb"[^'\"`\\()$\n<]*\n")


@dataclass(frozen=True, slots=True)
class _Here:
    """A here-document: where its body begins and ends in the source, and whether bash takes it as it is."""

    begins: int
    ends: int
    literal: bool


def here_document(node: Node, started: Started) -> str | None:
    """The text of a here-document, None if it is expanded. Raises NotRead if its end is not clear."""
    root = node
    while root.parent is not None:
        root = root.parent
    source, offset = root.text or b"", root.start_byte
    if started.depth != 1:
        raise NotRead("it has a here-document that is not followed")
    found = {each.id: _read_here(each, source, offset) for each in _here_documents(root)}
    rest, last = b"", 0
    for each in sorted(found.values(), key=lambda here: here.begins):
        if each.begins < last:
            raise NotRead("it has a here-document in another")
        rest, last = rest + source[last : each.begins], each.ends
    if len(_BEGINS.findall(rest + source[last:])) != len(found):
        raise NotRead("it has a here-document that is not followed")
    here = found[node.id]
    body = source[here.begins : here.ends]
    if not here.literal and re.search(rb"[`\\]|\$[({]", body):
        started.hide("a here-document computes")
    for name in () if here.literal else re.findall(rb"\$\{?([A-Za-z_]\w*)", body):
        started.use(name.decode())
    return body.decode() if here.literal or not re.search(rb"[`\\$]", body) else None


def _here_documents(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "heredoc_redirect":
            yield node
        waiting.extend(node.children)


def _read_here(node: Node, source: bytes, offset: int) -> _Here:
    parts = {child.type: child for child in node.children}
    start, end = parts.get("heredoc_start"), parts.get("heredoc_end")
    if start is None or end is None:
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
    return _Here(rest_of_line.end(), place, bool(delimiter.group(1)))


def text_of_cat(node: Node, started: Started) -> str | None:
    """The text of a substitution that only prints a here-document, such as ``$(cat <<'E' …)``; else None."""
    statements = [child for child in node.children[1:-1] if child.is_named]
    if len(statements) != 1 or statements[0].type != "redirected_statement":
        return None
    parts = [child for child in statements[0].children if child.is_named]
    if [part.type for part in parts] != ["command", "heredoc_redirect"] or text_of(parts[0]).strip() != "cat":
        return None
    here = parts[1]
    if any(child.type == "<<-" or not child.type.startswith("heredoc") for child in here.children[1:]):
        return None
    text = here_document(here, started)
    return None if text is None else text.rstrip("\n")
