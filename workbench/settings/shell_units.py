"""The commands into which a client divides a text of the shell before it matches its rules.

Measured on the clients by a rule that denies ``touch`` and forty texts that run it (Claude Code 2.1.197,
Codex 0.171.0, Gemini CLI 0.61.0, OpenCode 1.18.33; ``tests/settings/measured.toml`` has what ran):

* Gemini CLI and OpenCode match each command of the tree of tree-sitter-bash as it is written, also in a
  subshell, a substitution and a function. Gemini CLI takes the text of ``sh -c`` and ``bash -c`` too.
* Codex divides a text of plain words, quoted arguments, ``&&``, ``||``, ``;`` and ``|`` into commands; any
  other text is one command that no rule for a program matches. The program may be named by its path.
* Claude Code divides at operators and in control flow, not in subshells, groups, substitutions and
  functions. It takes assignments and some launchers away, reads quotes, and follows a variable that the
  text sets.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.runs.kinds.shell.shell_tree import NotRead, text_of, tree_of

if TYPE_CHECKING:
    from tree_sitter import Node

_CLAUDE_FLOW = frozenset({
    "program", "list", "pipeline", "redirected_statement", "if_statement", "elif_clause", "else_clause",
    "while_statement", "for_statement", "do_group", "negated_command", "case_statement", "case_item",
})  # fmt: skip
_CODEX_FLOW = frozenset({"program", "list", "pipeline"})
_PLAIN_WORD = re.compile(r"[\w./:=@%+,~^-]+")
# The launchers that Claude Code takes away, with those of their options that have a value.
_LAUNCHERS = {
    "command": "", "env": "uC", "exec": "a", "ionice": "cnp", "nice": "n", "nohup": "", "setsid": "",
    "stdbuf": "ioe",    "time": "", "timeout": "ks",
}  # fmt: skip
_WRAPPED = re.compile(r"(?:sh|bash)\s+-c\s+(?:'([^']*)'|\"([^\"]*)\")")


@dataclass(frozen=True, slots=True)
class Unit:
    """A command that a client matches: its text, its words as far as they are read; whether it is told whole.

    One with ``written`` is no command but a file that the shell itself writes. ``raw`` is the text as it
    stands.
    """

    text: str
    words: tuple[str, ...] = ()
    told: bool = True
    written: str = ""
    raw: str = ""


def units_of(client: str, command: str) -> Sequence[Unit]:
    """The units of a text of the shell, for a client by its name."""
    try:
        root = tree_of(command)
    except NotRead:
        return (Unit(command, told=False),)
    match client:
        case "Codex":
            return _of_codex(root, command)
        case "Claude Code":
            return tuple(_of_claude(root, {}))
        case _:
            return tuple(_as_written(root, unwraps=client == "Gemini CLI"))


def _as_written(root: Node, *, unwraps: bool) -> Iterator[Unit]:
    for node in _nodes(root):
        if node.type == "command":
            text = text_of(node)
            yield Unit(text, _words(text))
            wrapped = _WRAPPED.match(text) if unwraps else None
            if wrapped is not None:
                yield from units_of("OpenCode", wrapped[1] or wrapped[2] or "")


def _nodes(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def _of_codex(root: Node, command: str) -> Sequence[Unit]:
    units: list[Unit] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in _CODEX_FLOW:
            waiting.extend(reversed([child for child in node.children if child.is_named]))
            continue
        text = text_of(node)
        words = _words(text)
        plain = node.type == "command" and not any("$" in text_of(part) for part in node.children)
        kinds = {part.type for part in node.children}
        if not (plain and words and kinds <= {"command_name", "word", "number", "string", "raw_string"}):
            return (Unit(command, told=False),)
        if not _PLAIN_WORD.fullmatch(text.split()[0]):
            return (Unit(command, told=False),)
        named = (words[0].rpartition("/")[2], *words[1:])
        units.append(Unit("\0".join(named), named))
    return units


def _of_claude(node: Node, known: dict[str, str]) -> Iterator[Unit]:
    if node.type in _CLAUDE_FLOW:
        for child in node.children:
            if child.is_named:
                yield from _of_claude(child, known)
        return
    text = text_of(node)
    if node.type == "variable_assignment":
        name, _, value = text.partition("=")
        known[name] = (_words(value) or ("",))[0]
    elif node.type in ("command", "declaration_command"):
        words = [
            known.get(word.strip("${}"), word) if word.startswith("$") else word for word in _words(text)
        ]
        stripped = _without_launchers(words)
        yield Unit(" ".join(stripped), tuple(stripped), raw=" ".join(text.split()))
    elif node.type == "file_redirect" and ">" in text:
        yield Unit(text, written=(_words(text.lstrip("&0123456789>| ")) or ("",))[0])
    elif node.type not in ("comment", "file_redirect", "variable_name", "word"):
        yield Unit(text, told=False)


def _without_launchers(words: Sequence[str]) -> Sequence[str]:
    """The words without assignments and the launchers before the program."""
    rest = list(words)
    while rest:
        name = rest[0]
        if re.match(r"\w+=", name) or (name == "xargs" and len(rest) > 1 and not rest[1].startswith("-")):
            rest = rest[1:]
        elif name in _LAUNCHERS and len(rest) > 1:
            rest = _after_options(rest[1:], _LAUNCHERS[name])
            rest = rest[1:] if name == "timeout" else rest
        else:
            return rest
    return rest


def _after_options(words: list[str], with_value: str) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[2:] if words[0][1:] in with_value and len(words[0]) == 2 else words[1:]
    return words


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return tuple(text.split())
