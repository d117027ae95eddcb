"""The rules of a client's settings, and how the client decides a call by them.

A client divides a command of the shell into *units* (``units_of``) and decides each of them by the
matching rule of the highest rank; the strictest decision on a unit is the decision on the command. Claude
Code and Codex rank by effect, OpenCode by place (the last matching rule wins), Gemini CLI by priority.

The units were measured on the clients by a rule that denies ``touch`` and forty texts that run it (Claude
Code 2.1.197, Codex 0.171.0, Gemini CLI 0.61.0, OpenCode 1.18.33; ``tests/settings/measured.toml`` has what
ran):

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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
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
_PIECE = re.compile(
    r"""(?P<blank>[ \t\r\n]+)|'(?P<single>[^']*)'|"(?P<double>[^"\\]*(?:\\.[^"\\]*)*)"|"""
    r"""\\(?P<escaped>.)|(?P<plain>[^ \t\r\n'"\\]+)""",
    re.DOTALL,
)
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
    """The words of a text, as ``shlex.split`` gives them; whose time grows with the square of the text."""
    words: list[str] = []
    parts: list[str] | None = None
    place = 0
    while place < len(text):
        match = _PIECE.match(text, place)
        if match is None:
            return tuple(text.split())
        place = match.end()
        if match["blank"] is None:
            parts = parts or []
            parts.append(_unquoted(match))
        elif parts is not None:
            words.append("".join(parts))
            parts = None
    return tuple(words) if parts is None else (*words, "".join(parts))


def _unquoted(piece: re.Match[str]) -> str:
    if piece["double"] is not None:
        return re.sub(r'\\(["\\])', r"\1", piece["double"])
    return next(piece[kind] for kind in ("single", "escaped", "plain") if piece[kind] is not None)


SHELL = "Bash"


class Unreadable(ValueError):
    """Raised for settings that cannot be read; its text says why."""


class SettingsClient(StrEnum):
    """Whose settings are read; Cedar policies are of whoever enforces them."""

    CLAUDE_CODE = "Claude Code"
    CODEX = "Codex"
    GEMINI = "Gemini CLI"
    OPENCODE = "OpenCode"
    CEDAR = "Cedar"


class Effect(IntEnum):
    """What a rule does, the strictest last."""

    ALLOW = 0
    ASK = 1
    DENY = 2


EFFECTS = {"allow": Effect.ALLOW, "ask": Effect.ASK, "deny": Effect.DENY}
"""The effects by the words of Claude Code and OpenCode."""


@dataclass(frozen=True, slots=True)
class CommandPattern:
    """A pattern over the text of one unit.

    ``words`` are the program and the words with which each match begins, as far as the pattern has them
    whole; none where it is no such prefix. An ``exact`` pattern matches these words alone.
    """

    regex: str
    words: tuple[tuple[str, ...], ...] = ()
    exact: bool = False

    @property
    def begins(self) -> Sequence[str]:
        """The plain words with which each match begins, as texts; none where a match may begin otherwise."""
        texts = [" ".join(words) for words in self.words]
        of_one = {form for text in texts for form in (re.escape(text), f"{re.escape(text)}( .*)?")}
        is_whole = self.regex in of_one or r"\0" in self.regex
        is_plain = all(_PLAIN_WORD.fullmatch(word) for words in self.words for word in words)
        return texts if is_whole and is_plain else ()

    def matches(self, text: str) -> bool:
        """Whether a unit matches."""
        return re.fullmatch(self.regex, text, re.DOTALL) is not None


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A pattern of names of files, as git ignores them: below ``base``, at any depth if ``floats``.

    ``base`` is ``/``, a folder, or nothing for the folder in which the client works. What lies in a folder
    that matches, matches too; of a pattern that ends with ``/**`` only that.
    """

    base: str
    glob: str
    floats: bool

    def matches(self, path: str, folder: str) -> bool:
        """Whether an absolute path matches, of a client that works in ``folder``."""
        base = (self.base or folder).rstrip("/")
        if not path.startswith(f"{base}/"):
            return False
        names = path.removeprefix(f"{base}/").split("/")
        begins = range(len(names)) if self.floats else (0,)
        return any(
            re.fullmatch(_glob_regex(self.glob), "/".join(names[begin:end])) is not None
            for begin in begins
            for end in range(begin + 1, len(names) + 1)
        )


@dataclass(frozen=True, slots=True)
class HostPattern:
    """A host of a URL, with the hosts below it if ``below``."""

    host: str
    below: bool = False

    def matches(self, host: str) -> bool:
        """Whether a host matches."""
        return (host == self.host and not self.below) or (self.below and host.endswith(f".{self.host}"))


@dataclass(frozen=True, slots=True)
class ArgumentCondition:
    """A condition over the arguments of a call of MCP, written as an expression of the dialect."""

    expression: str
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class UnreadPattern:
    """What is not read of a rule: its sentence says why, and nobody knows which calls the rule is about."""

    why: str


UNLISTED = "names tools that the session does not list; declare them in agent.toml"

type Pattern = CommandPattern | PathPattern | HostPattern | ArgumentCondition | UnreadPattern


@dataclass(frozen=True, slots=True)
class SettingsRule:
    """A rule: what it does to calls of ``tools``, to all of them without a pattern.

    ``tools`` have the names of the policy, none where the tools are not listed; ``text`` is the rule as it
    is written, ``place`` where. ``dead`` says why the client never matches it.
    """

    effect: Effect
    tools: tuple[str, ...]
    text: str
    place: str
    rank: float
    pattern: Pattern | None = None
    dead: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """The rules of one client, and what of its files is no rule that can be carried over."""

    client: SettingsClient
    rules: tuple[SettingsRule, ...]
    lost: tuple[str, ...] = ()

    def decide(
        self, tool: str, text: str, folder: str = "/repo"
    ) -> tuple[Effect | None, SettingsRule | None]:
        """The decision on a call and the rule that makes it; no effect where no rule speaks.

        ``text`` is the command, the absolute path or the host.
        """
        if tool != SHELL:
            return self._of_unit(tool, text, folder, None)
        units = [(unit, self._of_unit(tool, unit.text, folder, unit)) for unit in units_of(self.client, text)]
        found = [one for unit, one in units if not unit.written or one[0] is not None]
        # A unit of which no rule speaks is left to the client's person, so it outweighs what is allowed.
        return max(found, key=lambda one: 0.5 if one[0] is None else float(one[0]), default=(None, None))

    def _of_unit(
        self, tool: str, text: str, folder: str, unit: Unit | None
    ) -> tuple[Effect | None, SettingsRule | None]:
        best = max(
            (rule for rule in self.rules if not rule.dead and self._matches(rule, tool, text, folder, unit)),
            key=lambda rule: rule.rank,
            default=None,
        )
        if best is None:
            return (Effect.ALLOW if self.client is SettingsClient.OPENCODE else None), None
        return best.effect, best

    def _matches(self, rule: SettingsRule, tool: str, text: str, folder: str, unit: Unit | None) -> bool:
        """Whether a rule is about a call, or about a unit of a command."""
        if unit is not None and isinstance(rule.pattern, PathPattern):
            told = _files_told(rule, unit) if self.client is SettingsClient.CLAUDE_CODE else ()
            paths = [_absolute(path, folder) for path in told if not _is_unread(path)]
            return rule.effect is Effect.DENY and any(rule.pattern.matches(path, folder) for path in paths)
        if tool not in rule.tools or (unit is not None and unit.written):
            return False
        match rule.pattern:
            case None:
                return True
            case PathPattern():
                return rule.pattern.matches(text, folder)
            case CommandPattern():
                return rule.pattern.matches(text) or (unit is not None and rule.pattern.matches(unit.raw))
            case HostPattern():
                return rule.pattern.matches(text)
            case ArgumentCondition() | UnreadPattern():
                return False


def glob_of_commands(text: str, signs: Mapping[str, str]) -> CommandPattern:
    """The pattern of a text with ``signs``, each with its expression; a last `` *`` may be missing."""
    begin = text.removesuffix(" *")
    is_prefix = begin != text
    parts = re.split("([*?])", begin)
    regex = "".join(signs.get(part) or re.escape(part) for part in parts)
    words = tuple(begin.split())
    starts = (
        not is_prefix and begin[-1:] == "*" and bool(begin[-2:-1].strip()) and not {*signs} & {*begin[:-1]}
    )
    is_plain = starts or not {*signs} & {*begin}
    return CommandPattern(
        regex + ("( .*)?" if is_prefix else ""),
        (words,) if words and is_plain else (),
        exact=not is_prefix and not starts,
    )


def joined(parts: Sequence[Settings]) -> Settings:
    """The settings of several files of one client as one. Raises Unreadable where they are of several."""
    clients = {part.client for part in parts}
    if len(clients) > 1:
        names = " and of ".join(sorted(clients))
        raise Unreadable(f"these are settings of {names}; make a session for each client")
    rules = [rule for part in parts for rule in part.rules]
    return Settings(parts[0].client, tuple(rules), tuple(text for part in parts for text in part.lost))


# What Claude Code 2.1.197 takes for a program that prints the files that it names: measured; tac, less, cp,
# git and python3 are none.
_PRINTS = frozenset({"awk", "base64", "cat", "grep", "head", "nl", "sed", "tail", "wc"})


def _files_told(rule: SettingsRule, unit: Unit) -> Sequence[str]:
    """The files of a unit that Claude Code takes for files that a rule about files is about."""
    if "Edit" in rule.tools:
        return [unit.written] if unit.written else []
    reads = "Read" in rule.tools and unit.told and unit.words and unit.words[0] in _PRINTS
    return unit.words[1:] if reads else []


def _is_unread(path: str) -> bool:
    """Whether Claude Code takes a word for no file: a pattern, or a path that goes up."""
    return bool({"*", "?"} & set(path)) or ".." in path.split("/")


def _absolute(path: str, folder: str) -> str:
    return path if path.startswith("/") else f"{folder}/{path.removeprefix('./')}"


def _glob_regex(glob: str) -> str:
    """The expression of a pattern of git's: ``*`` and ``?`` within a name, ``**`` across names."""
    parts = {"**/": "(?:.*/)?", "/**": "/.+", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(
        parts.get(part) or re.escape(part) for part in re.split(r"(\*\*/|/\*\*$|\*\*|\*|\?)", glob) if part
    )
