"""The typed form of a rule: a condition of the dialect over programs, paths and hosts.

It means what the rule is for, not how it is spelled: the program however it is started, the file by whatever
program is told its name, the host also of ``curl``. What a pattern says that typed parts cannot is no form.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence

from workbench.runs.kinds.shell.program_tables import TABLES
from workbench.runs.kinds.shell.programs import PARTED, PARTED_TWICE
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
            told = _on_path(rule.pattern)
            is_wide = opens and rule.pattern.floats and rule.pattern.base != "/"
            return f"{told} and {_within(rule.pattern.base)}" if told and is_wide else told
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
    glob = pattern.glob
    below = re.fullmatch(r"(.+?)/\*\*(?:/\*)?", glob)
    text = below[1] if below else glob.rstrip("/")
    if glob in ("**", "*", "**/*"):
        return _within(pattern.base)
    if pattern.floats and "/" not in text and text.count("*") <= 1 and not {"?", "["} & set(text):
        begin, star, end = text.partition("*")
        tests = [f"name == {literal(text)}"] if not star else []
        tests += [f"name.startswith({literal(begin)})"] if star and begin else []
        tests += [f"name.endswith({literal(end)})"] if star and end else []
        return f"any({' and '.join(tests)} for name in path.names)" if tests else None
    if pattern.floats or {"*", "?", "["} & set(text):
        return None
    if pattern.base:
        return f"{literal(pattern.base.rstrip('/') + '/' + text)} in path.inside"
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
