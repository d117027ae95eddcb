"""The typed form of a rule: a condition of the dialect over programs, paths and hosts.

It means what the rule is for, not how it is spelled: the program however it is started, the file by whatever
program is told its name, the host also of ``curl``. What a pattern says that typed parts cannot is no form.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence

from workbench.runs.kinds.shell.program_tables import PARTED, PARTED_TWICE, TABLES
from workbench.settings.rules import (
    SHELL,
    ArgumentCondition,
    CommandPattern,
    Effect,
    HostPattern,
    PathPattern,
    SettingsRule,
)

SEARCHES = ("Glob", "Grep")
# Programs that do what a whole program does that a rule stops.
_EQUAL = {
    "rm": ('p.name == "unlink"', 'p.name == "find" and "-delete" in p.options'),
    "curl": ('p.name == "wget"',),
    "wget": ('p.name == "curl"',),
}
# What the shell itself reads as no program that is started.
_NO_PROGRAMS = frozenset({"declare", "export", "local", "readonly", "typeset", "unset"})
_CLUSTER = re.compile(r"-[A-Za-z]{2,4}")


def condition_on(rule: SettingsRule, tool: str, *, opens: bool = False) -> str | None:
    """The condition on ``p``, a started program, ``path``, or ``call``; "True" for every call; None for none.

    The condition of a rule that ``opens`` calls is narrow: the program by its name alone, of an exact
    pattern no other words, and files only below the folder of the pattern.
    """
    match rule.pattern:
        case None:
            return "True"
        case CommandPattern() if tool == SHELL:
            return _on_programs(rule.pattern, opens=opens, stops=rule.effect is Effect.DENY)
        case PathPattern():
            return _opened_path(rule.pattern) if opens else _on_path(rule.pattern)
        case HostPattern():
            place = "call.command.hosts" if tool == SHELL else "call.url.host"
            return _on_host(rule.pattern, place, is_set=tool == SHELL)
        case ArgumentCondition():
            return rule.pattern.expression
        case _:
            return None


def _on_programs(pattern: CommandPattern, *, opens: bool, stops: bool) -> str | None:
    """The condition on a program; a rule that stops a whole program stops those with its effect too."""
    told = [_unquoted(words) for words in pattern.words]
    if not told or not all(words and words[0] not in _NO_PROGRAMS for words in told):
        return None
    if any(_starts_another(words) for words in told):
        return None
    alternatives = [_on_words(words, opens=opens, exact=pattern.exact) for words in told]
    whole = [words[0] for words in told if len(words) == 1 and not pattern.exact]
    alternatives += [equal for program in whole if stops for equal in _EQUAL.get(program, ())]
    return alternatives[0] if len(alternatives) == 1 else " or ".join(f"({one})" for one in alternatives)


def _starts_another(words: Sequence[str]) -> bool:
    """Whether the words may name a program that the first one starts: ``p.words`` has none of them."""
    table = TABLES.get(words[0].rpartition("/")[2])
    starts = table is not None and "PROGRAM" in table.operands
    return starts and any(not word.startswith("-") for word in words[1:])


def _unquoted(words: Sequence[str]) -> Sequence[str]:
    """The words as the shell reads them; none where they are no whole words."""
    try:
        return shlex.split(" ".join(words))
    except ValueError:
        return ()


def _on_words(words: Sequence[str], *, opens: bool, exact: bool) -> str:
    program = words[0] if opens else words[0].rpartition("/")[2] or words[0]
    tests = [_text_test("p.program" if opens else "p.name", program)]
    subs = 1 + (program in PARTED) + (f"{program} {words[1] if len(words) > 1 else ''}" in PARTED_TWICE)
    for number, word in enumerate(words[1:], 1):
        if not word.startswith("-") and number < subs:
            tests.append(_text_test("p.first" if number == 1 else "p.second", word))
        elif word.endswith("*"):
            begins = f"word.startswith({literal(word[:-1])})"
            tests.append(f"any({begins} for word in p.words)")
        elif word.startswith("-"):
            options = " and ".join(f"{literal(option)} in p.options" for option in _options(word))
            tests.append(f"({options} or {literal(word)} in p.words)")
        else:
            tests.append(f"{literal(word)} in p.words")
    if opens and exact:
        others = ", ".join(literal(word) for word in words[1:])
        tests.append(f"p.words <= {{{others}}}" if others else "not any(True for word in p.words)")
    return " and ".join(tests)


def _options(word: str) -> Sequence[str]:
    """The options of a word: those of a cluster (-rf), and the name of one with its value."""
    return [f"-{letter}" for letter in word[1:]] if _CLUSTER.fullmatch(word) else [word.partition("=")[0]]


def _text_test(value: str, text: str) -> str:
    if text.endswith("*"):
        return f"{value}.startswith({literal(text[:-1])})"
    return f"{value} == {literal(text)}"


def _on_path(pattern: PathPattern) -> str | None:
    """The condition on a path that is at least as wide as the pattern."""
    if pattern.glob in ("**", "*", "**/*"):
        return _within(pattern.base)
    text = _plain_text(pattern)
    if pattern.floats:
        tests = None if text is None else _name_tests("name", text)
        return f"any({tests} for name in path.names)" if tests else None
    if text is None or _SIGNS & set(text):
        return None
    if pattern.base:
        return f"{literal(_joined_path(pattern.base, text))} in path.inside"
    # Of a client that works at the root, no place begins with its folder and the separator.
    return f'({_of_project(text)} or run.context.project == "/" and {literal(f"/{text}")} in path.inside)'


def _opened_path(pattern: PathPattern) -> str | None:
    """The condition on a path that is at most as wide as the pattern, for a permission."""
    folder = literal(pattern.base.rstrip("/") or "/") if pattern.base else "run.context.project"
    below = f"{folder} in path.inside and path.absolute != {folder}"
    if pattern.glob in ("**", "*", "**/*"):
        return below
    text = _plain_text(pattern)
    if pattern.floats:
        # A name that begins and ends so may be shorter than both together.
        is_said = text is not None and not pattern.glob.endswith("/**") and not all(text.partition("*"))
        tests = _name_tests("path.name", text) if text and is_said else ""
        return f"{tests} and {below}" if tests else None
    if text is None or _SIGNS & set(text):
        return None
    is_itself = not pattern.glob.endswith(("/**", "/**/*"))
    if pattern.base:
        place = literal(_joined_path(pattern.base, text))
        return f"{place} in path.inside" + ("" if is_itself else f" and path.absolute != {place}")
    end = literal(f"/{text}")
    other = f" and path.absolute.removesuffix({end}) != run.context.project"
    return _of_project(text) + ("" if is_itself else other)


_SIGNS = frozenset("*?[")


def _plain_text(pattern: PathPattern) -> str | None:
    """The pattern without the end that means all below it; None if it is no place, or several names float."""
    below = re.fullmatch(r"(.+?)/\*\*(?:/\*)?", pattern.glob)
    text = below[1] if below else pattern.glob.rstrip("/")
    names = text.split("/")
    return None if (pattern.floats and len(names) > 1) or {"", ".", ".."} & set(names) else text


def _name_tests(name: str, text: str) -> str:
    """The tests that a name is a text with at most one ``*``; empty if there is no such test."""
    begin, star, end = text.partition("*")
    if not star:
        return "" if {"?", "["} & set(text) else f"{name} == {literal(text)}"
    if _SIGNS & set(begin + end):
        return ""
    tests = [f"{name}.startswith({literal(begin)})"] if begin else []
    return " and ".join([*tests, f"{name}.endswith({literal(end)})"] if end else tests)


def _joined_path(base: str, text: str) -> str:
    return f"{base.rstrip('/')}/{text}"


def _of_project(text: str) -> str:
    """Whether the path is a place below the folder in which the client works, or within it."""
    end = literal(f"/{text}")
    place = f"place.endswith({end}) and place.removesuffix({end}) == run.context.project"
    return f"any({place} for place in path.inside)"


def _within(base: str) -> str:
    return (
        f"{literal(base)} in path.inside"
        if base.strip("/")
        else ("True" if base else "run.context.project in path.inside")
    )


def _on_host(pattern: HostPattern, place: str, *, is_set: bool) -> str:
    value, host = "host" if is_set else place, pattern.host
    test = f"{value}.endswith({literal(f'.{host}')})" if pattern.below else f"{value} == {literal(host)}"
    return f"any({test} for host in {place})" if is_set else test


def literal(text: str) -> str:
    """A text as a literal of Python."""
    return json.dumps(text, ensure_ascii=False) if text.isprintable() else repr(text)
