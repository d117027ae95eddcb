"""The hosts that programs of the network are told to reach, and whether they may reach another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.runs.kinds.shell.command_words import Word
from workbench.runs.kinds.shell.named_paths import hosts_of
from workbench.runs.kinds.shell.programs import LOCAL, NETWORK, NETWORK_OPTIONS, REMOTE_SUB_COMMANDS
from workbench.runs.kinds.shell.simple_commands import Simple
from workbench.runs.kinds.shell.started_programs import sub_command_place

# An address as ssh and git have it: host:path, where the host has no slash.
_SHORT = re.compile(r"(?:[\w.+-]+@)?(?P<host>[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]):(?!//)", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a program is told: the hosts in its words, and the reason why it may reach another."""

    hosts: frozenset[str]
    why: str = ""


def reached_hosts(command: Simple) -> frozenset[str]:
    """The hosts that the words of a program name; the values of its options are none."""
    return _told(command).hosts


def open_hosts(command: Simple) -> Iterator[str]:
    """The reason if a program may reach a host that its words do not name."""
    told = _told(command)
    name = command.program.rpartition("/")[2]
    if name not in LOCAL and not _only_texts(command):
        yield f"a word of {name} is only known when it runs"
    elif told.why:
        yield told.why


def _only_texts(command: Simple) -> bool:
    """Whether the words that are not known are single texts that the program only keeps."""
    return len(command.texts) == len(command.words) or all(
        word.text is not None or (place in command.texts and word.is_one)
        for place, word in enumerate(command.words)
    )


def _told(command: Simple) -> _Told:
    name = command.program.rpartition("/")[2]
    if name in REMOTE_SUB_COMMANDS:
        return _told_of_remote(name, command.words)
    if name in NETWORK_OPTIONS:
        return _told_by_options(name, command.words)
    hosts = hosts_of(command.words, name in NETWORK)
    return _Told(hosts, f"{name} names no host" if name in NETWORK and not hosts else "")


def _told_by_options(name: str, words: Sequence[Word]) -> _Told:
    """The hosts of a program whose usual options are known."""
    operands: list[Word] = []
    place, why = 0, ""
    while place < len(words):
        text = words[place].text
        place += 1
        if text is None or text == "--":
            continue
        if not text.startswith("-") or text == "-":
            operands.append(Word(text))
            continue
        taken = _words_of_option(name, text)
        why = why or ("" if taken else f"{name} {text[:20]} may reach another host")
        place += max(0, taken - 1)
    hosts = hosts_of(operands, network=True)
    return _Told(hosts, why or ("" if hosts else f"{name} names no host"))


def _words_of_option(name: str, text: str) -> int:
    """The number of words of an option with its value; 0 if it may lead to another host."""
    options = NETWORK_OPTIONS[name]
    if text.startswith("--"):
        option, has_value, _ = text.partition("=")
        if option in options.long_valued:
            return 1 if has_value else 2
        return 1 if option in options.long_flags else 0
    for at, letter in enumerate(text[1:], 1):
        if letter in options.valued:
            return 1 if at + 1 < len(text) else 2
        if letter not in options.flags:
            return 0
    return 1


def _told_of_remote(name: str, words: Sequence[Word]) -> _Told:
    """The hosts of a program with sub-commands of which some reach a repository elsewhere."""
    texts = [word.text for word in words]
    place = sub_command_place(name, texts)
    sub = texts[place] if place is not None else None
    hosts = hosts_of(words, network=False)
    if sub not in REMOTE_SUB_COMMANDS[name]:
        return _Told(hosts)
    short = frozenset(match["host"].lower() for text in texts if text and (match := _SHORT.match(text)))
    # A word like ``main:main`` has the form of an address too.
    return _Told(hosts | short, "" if hosts else f"{name} {sub} may reach a host that its words do not name")
