"""Attempts at files with secrets beside those that a rule names: other settings, and private keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from workbench.clarify.written.asked import Effect
from workbench.clarify.written.attacked import Attacked
from workbench.clarify.written.attempts import Attempt, narrower
from workbench.clarify.written.attempts_at_texts import (
    among,
    declaring,
    given,
    is_typed,
    part,
    text,
    tries_with,
)
from workbench.clarify.written.book import places, replaced
from workbench.dialect.call_fields import CallField
from workbench.language.trees import TRUE, Tree, joined, negated

_SETTINGS = ".env"
_SECRETS = re.compile(r"\b(?:secrets?|credentials?|passwords?|tokens?|keys?|ssh)\b")
"""What sentences call files that nobody is to see, by more than their names."""
_FILE: Tree = ("name", "p")


@dataclass(frozen=True, slots=True)
class _Family:
    """Files with secrets of one kind, when a path is one of them, and when the text of a path is one."""

    files: Sequence[str]
    is_path: Tree
    is_text: tuple[str, Sequence[str]]


_NAME, _NAMES, _SUFFIX = (("attr", _FILE, name) for name in ("name", "names", "suffix"))
_FAMILIES = (
    _Family((".env", ".env.local"), ("method", _NAME, "startswith", text(_SETTINGS)), ("in", ("/.env",))),
    _Family(("~/.ssh/id_rsa", "/root/.ssh/config"), ("in", text(".ssh"), _NAMES), ("in", (".ssh/",))),
    _Family(
        ("backup/id_rsa", "id_ed25519"),
        among(_NAME, ("id_rsa", "id_ed25519")),
        ("endswith", ("id_rsa", "id_ed25519")),
    ),
    _Family(
        ("server.pem", "certs/server.key"), among(_SUFFIX, (".pem", ".key")), ("endswith", (".pem", ".key"))
    ),
)


def attempts_at_secret_files(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts at files beside those that a rule closes by their names."""
    if attacked.rule.form == "permit":
        return
    for one in attacked.fields_of("path", "command"):
        is_command = attacked.kind(one) == "command"
        way = "cat {}" if is_command else "{}"
        if attacked.passes(attacked.with_value(attacked.base, one, way.format("notes.txt"))):
            yield from _other_settings(attacked, one, way)
            yield from _of_other_kinds(attacked, one, way)


def _names_settings(attacked: Attacked) -> bool:
    return any(each.rpartition("/")[2] == _SETTINGS for each in attacked.texts)


def _other_settings(attacked: Attacked, one: CallField, way: str) -> Iterator[Attempt]:
    """A file of settings of another surrounding, where a rule closes ``.env`` by its name."""
    if not _names_settings(attacked):
        return
    stopped = (f"{folder}{_SETTINGS}" for folder in ("", "/home/agent/"))
    if not any(attacked.stops(attacked.with_value(attacked.base, one, way.format(each))) for each in stopped):
        return
    texts = [way.format(f"{folder}{_SETTINGS}{end}") for folder in ("", "/home/agent/") for end in _ENDS]
    tries = tries_with(attacked, one, texts, "it holds settings as .env does")
    yield Attempt("other secret", tries, partial(_beginning, attacked), about=_SETTINGS)


_ENDS = (".local", ".production")


def _beginning(attacked: Attacked) -> Sequence[Effect]:
    """The rule by how a name begins, where it compares a name with ``.env``."""
    rule, said = attacked.rule, attacked.rule.condition
    for place, atom in [*places(said)]:
        changed = _begins(atom)
        said = said if changed is None else replaced(said, place, changed)
    return [Effect({rule.name: rule.with_condition(said)})] if said != rule.condition else []


def _begins(atom: Tree) -> Tree | None:
    """A comparison with ``.env``, also of a text that only begins so; None for another condition."""
    own = text(_SETTINGS)
    match atom:
        case ("==" | "!=" as word, value, ("lit", "text", str(name))) if name.endswith(_SETTINGS):
            begins: Tree = ("method", value, "startswith", text(name))
            return begins if word == "==" else negated(begins)
        case ("in" | "not in" as word, value, ("set", *members)) if own in members:
            begins = ("method", value, "startswith", own)
            rest = [str(each[2]) for each in members if each != own]
            others = [among(value, rest, negative=word != "in")] if rest else []
            return (
                joined("or", [begins, *others]) if word == "in" else joined("and", [negated(begins), *others])
            )
        case ("in" | "not in" as word, constant, ("attr", _, "names") as names) if constant == own:
            each: Tree = ("name", "n")
            begins = ("call", "any", ("gen", each, ("method", each, "startswith", own), names, TRUE))
            return begins if word == "in" else negated(begins)
        case ("method", value, "endswith", ("lit", "text", str(name))) if name.endswith(_SETTINGS):
            return joined("or", [atom, ("in", text(f"{name}."), value)])
        case _:
            return None


def _of_other_kinds(attacked: Attacked, one: CallField, way: str) -> Iterator[Attempt]:
    """Files with other secrets, where a sentence speaks of secrets and a rule closes some by their names."""
    if _SECRETS.search(attacked.sentence) is None:
        return
    calls = {
        file: attacked.with_value(attacked.base, one, way.format(file))
        for family in _FAMILIES
        for file in family.files
    }
    if not any(map(attacked.stops, calls.values())):
        return
    others = _FAMILIES[1:] if _names_settings(attacked) else _FAMILIES
    open_ = [family for family in others if any(attacked.may_pass(calls[file]) for file in family.files)]
    texts = [way.format(file) for family in open_ for file in family.files]
    tries = tries_with(attacked, one, texts, "it holds secrets, too")
    rewritings = partial(_closed_families, attacked, one, open_)
    advice = "" if attacked.kind(one) == "path" else declaring(attacked, one, "command")
    yield Attempt("other secret", tries, rewritings, advice, about="keys")


def _closed_families(attacked: Attacked, one: CallField, families: Sequence[_Family]) -> Sequence[Effect]:
    """The rule that closes some families of files, too."""
    value = attacked.value_of(one)
    if not is_typed(one) and attacked.kind(one) == "command":
        return []
    if not is_typed(one):
        tests: list[Tree] = []
        for family in families:
            word, texts = family.is_text
            tests += [
                ("in", text(each), value) if word == "in" else ("method", value, word, text(each))
                for each in texts
            ]
        said = joined("or", tests)
    else:
        said = joined("or", [family.is_path for family in families])
        said = _of(said, value) if one.kind == "path" else _in_parts(attacked, one, said)
    return [narrower(attacked.rule, given(attacked, one, said))]


def _of(said: Tree, value: Tree) -> Tree:
    """What is said of a path ``p``, of a value."""
    for place, tree in [*places(said)]:
        said = replaced(said, place, value) if tree == _FILE else said
    return said


def _in_parts(attacked: Attacked, one: CallField, said: Tree) -> Tree:
    """What is said of a path ``p``, of the files of a command that the rule reads."""
    names = [each for each in ("reads", "writes") if each in attacked.reading.parts[one.name]] or ["paths"]
    every = [("call", "any", ("gen", _FILE, said, part(attacked, one, each), TRUE)) for each in names]
    return joined("or", every)
