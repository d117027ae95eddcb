"""Attempts with a text that stands for the same in the small language that a field has.

Arguments of a program have short forms of words and lists of them, a network has wider ones, a range of cells
one that covers it, and a description says by what else a thing may be named.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from workbench.clarify.written.acts_of_tools import names_act
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import LISTS, Attacked, words_of
from workbench.clarify.written.attempts import Attempt, Try, narrower, offering, saying
from workbench.clarify.written.attempts_at_texts import among, given, text
from workbench.clarify.written.book import places, replaced, without_methods
from workbench.dialect.call_fields import CallField
from workbench.language.trees import TRUE, Tree, joined
from workbench.model import Json, Kind

_ARGUMENTS = frozenset(
    ("arg", "args", "arguments", "argv", "cmd", "command", "options", "params", "parameters")
)
_SHORT_FORMS = {
    "namespace": "ns", "pod": "po", "service": "svc", "deployment": "deploy", "configmap": "cm", "node": "no",
    "persistentvolume": "pv", "persistentvolumeclaim": "pvc", "ingress": "ing", "replicaset": "rs",
    "statefulset": "sts", "daemonset": "ds", "serviceaccount": "sa", "customresourcedefinition": "crd",
    "cronjob": "cj", "delete": "del", "remove": "rm", "install": "i", "uninstall": "un", "image": "img",
}  # fmt: skip
"""Words that programs take in a short form, too: the resources of a cluster above all."""
_LONG_FORMS = {short: long for long, short in _SHORT_FORMS.items()}
_WORD = re.compile(r"[a-z][a-z-]*[a-z]")
_OPTION = re.compile(r"--[a-z][\w-]+")


def attempts_by_synonyms(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts with other texts for what a rule closes by a text."""
    for one in attacked.fields_read:
        words = {*words_of(one.name)}
        if one.type.kind in LISTS and words & _ARGUMENTS:
            yield from _other_arguments(attacked, one)
        elif one.type.kind is Kind.STR and attacked.is_raw(one):
            if words & _ARGUMENTS and attacked.kind(one) != "command":
                yield from _other_words_of_line(attacked, one)
            yield from _wider_networks(attacked, one)
            yield from _covering_ranges(attacked, one)
            yield from _named_otherwise(attacked, one)


def _forms(word: str) -> Sequence[str]:
    """Other forms of an argument: short, of several things, with the name after it, in a list."""
    if _OPTION.fullmatch(word):
        return [f"{word}=true", *dict.fromkeys(name for name in _names_of(word) if name != word)]
    if _WORD.fullmatch(word) is None:
        return []
    single = word.removesuffix("s")
    short = [each for each in (_SHORT_FORMS.get(single), _LONG_FORMS.get(word)) if each]
    things = [] if _is_act(word) else [single, f"{single}s", f"{word}/x", f"all,{word}"]
    return [each for each in (*short, *things) if each != word]


@lru_cache(maxsize=256)
def _names_of(option: str) -> Sequence[str]:
    """The names of an option, as programs have it."""
    from workbench.runs.kinds.shell.program_tables import TABLES

    known = (table.options[option].names for table in TABLES.values() if option in table.options)
    return [name for names in known for name in names]


def _is_act(word: str) -> bool:
    """Whether a word says what a program does, and not with what."""
    return names_act(word) or word in _ACTS


_ACTS = frozenset(("apply", "describe", "drain", "exec", "list", "logs", "rollout", "scale"))


def _other_arguments(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Other forms of a word that a rule closes among arguments."""
    value, base = attacked.value_of(one), attacked.base
    tries: list[Try] = []
    said = attacked.rule.condition
    for path, atom in [*places(attacked.rule.condition)][::-1]:
        if atom[:1] != ("in",) or atom[1][:2] != ("lit", "text") or atom[2] != value:
            continue
        word = str(atom[1][2])
        held = _with(attacked, one, word)
        for form in _forms(word) if held is not None else ():
            changed: list[Json] = [form if each == word else each for each in held or ()]
            call = TriedCall(attacked.tool, {**base.arguments, one.key: changed})
            if attacked.may_pass(call):
                tries.append(Try((call,), f"“{form}” may stand for “{word}”"))
        each: Tree = ("name", "each")
        forms = [form for form in _forms(word) if not set(form) & set("/,")]
        tests = [among(each, [word, *forms])]
        if _WORD.fullmatch(word) and not _is_act(word):
            plain = [word.removesuffix("s"), *(form for form in forms if _WORD.fullmatch(form))]
            tests += [("method", each, "startswith", text(f"{form}/")) for form in dict.fromkeys(plain)]
            tests.append(("in", text(f",{word}"), each))
            tests.append(("in", text(f"{word},"), each))
        anywhere: Tree = ("call", "any", ("gen", each, joined("or", tests), value, TRUE))
        said = replaced(said, path, anywhere)
    tries.sort(key=lambda each: "/" in each.why or "," in each.why)
    yield Attempt("other form", tries, offering(saying(attacked.rule, said)), about=one.name)


def _with(attacked: Attacked, one: CallField, word: str) -> list[str] | None:
    """The fewest arguments of a call that is stopped, in which a word is."""
    parts = (part for _, part in places(attacked.rule.condition))
    named = [*dict.fromkeys(str(part[1][2]) for part in parts if _is_member(attacked, one, part))]
    pairs = [[each for each in named if each in (word, other)] for other in named if other != word]
    for held in ([word], *pairs, named):
        call = TriedCall(attacked.tool, {**attacked.base.arguments, one.key: [*held]})
        if attacked.stops(call):
            return held
    return None


def _is_member(attacked: Attacked, one: CallField, part: Tree) -> bool:
    return part[:1] == ("in",) and part[1][:2] == ("lit", "text") and part[2:] == (attacked.value_of(one),)


def _other_words_of_line(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Words that a rule closes one after another, further apart or in another form."""
    value = attacked.value_of(one)
    for path, atom in places(attacked.rule.condition):
        is_text = atom[:1] == ("in",) and atom[1][:2] == ("lit", "text") and atom[2:] == (value,)
        words = str(atom[1][2]).split() if is_text else []
        if len(words) < 2 or not attacked.stops_having(one, " ".join(words)):
            continue
        first, *rest = words
        forms = [form for form in _forms(rest[-1]) if "," not in form]
        lines = [" ".join([first, *rest[:-1], form, "x"]) for form in forms]
        lines += [f"{first} -v {' '.join(rest)} x", "  ".join(words)]
        tries = [
            Try((attacked.having(one, each),), f"it may do the same as “{' '.join(words)}”") for each in lines
        ]
        last = dict.fromkeys((rest[-1], *(form for form in forms if "/" not in form)))
        tests = [_as_word(value, each) for each in (first, *rest[:-1])]
        tests.append(joined("or", [_as_word(value, each, named=True) for each in last]))
        said = replaced(attacked.rule.condition, path, joined("or", [atom, joined("and", tests)]))
        yield Attempt("other form", tries, offering(saying(attacked.rule, said)), about=one.name)
        return


def _as_word(value: Tree, word: str, *, named: bool = False) -> Tree:
    """That a word stands by itself in a line; ``named`` also at its end, or with a name after a slash."""
    tests: list[Tree] = [
        ("method", value, "endswith" if named else "startswith", text(f" {word}" if named else f"{word} ")),
        ("in", text(f" {word} "), value),
    ]
    if named and _WORD.fullmatch(word):
        tests.append(("in", text(f" {word}/"), value))
    return joined("or", tests)


_WIDE = 8
"""The length of a prefix below which a network has more machines than any one owner."""


def _wider_networks(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Other texts for nearly all networks, where a rule closes the text for all of them."""
    value = attacked.value_of(one)
    closed = [bare for bare in attacked.texts if re.fullmatch(r"[0-9a-fA-F.:]+/0", bare)]
    closed = [bare for bare in closed if attacked.stops_having(one, bare)]
    if not closed:
        return
    halves = [str(each) for bare in closed for each in ipaddress.ip_network(bare, strict=False).subnets()]
    texts = [
        *halves,
        *(f"{ipaddress.ip_network(bare, strict=False)[1]}/0" for bare in closed),
    ]
    why = f"it has nearly all that {closed[0]} has"
    tries = [Try((attacked.having(one, each),), why) for each in texts]
    ends = [("method", value, "endswith", text(f"/{length}")) for length in range(_WIDE)]
    effects = [narrower(attacked.rule, given(attacked, one, joined("or", [*ends])))]
    yield Attempt("wider network", tries, offering(*effects), about=one.name)


_CELLS = frozenset(("range", "ranges", "cell", "cells"))
_COLUMN = re.compile(r"\$?([A-Z]{1,2})\$?\d*(?::.*)?")


def _covering_ranges(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Ranges of cells that have a column in them, which a rule closes by how a range begins."""
    value = attacked.value_of(one)
    if not _CELLS & {*words_of(one.name)}:
        return
    for bare in attacked.texts:
        found = _COLUMN.fullmatch(bare)
        if found is None or not attacked.stops_having(one, f"{found[1]}2"):
            continue
        column = found[1]
        tries = [
            Try((attacked.having(one, each),), f"column {column} is in it")
            for each in (f"A1:{column}50", f"${column}$2", f"A2:{column}9", f"A:{column}")
        ]
        signs = [("in", text(sign), value) for sign in (":", "$")]
        effects = [narrower(attacked.rule, given(attacked, one, joined("or", [*signs])))]
        yield Attempt("wider range", tries, offering(*effects), about=one.name)
        return


_NAMED_BY = (
    "address", "alias", "barcode", "brand", "city", "code", "display name", "domain", "ean", "email",
    "handle", "id", "iban", "key", "login", "mail address", "name", "nickname", "number", "path", "phone",
    "sku", "slug", "substance", "symbol", "title", "url", "username",
)  # fmt: skip
_EITHER = re.compile(
    rf"\b(?P<one>{'|'.join(_NAMED_BY)})s?\b[^.;,]{{0,30}}?,? or (?:by )?(?:its |the |their |an? )?"
    rf"(?:\w+ )?(?P<other>{'|'.join(_NAMED_BY)})\b",
    re.IGNORECASE,
)
"""What a description says of a thing that is named in one of two ways."""


def _named_otherwise(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """The other name by which a field may name what a rule closes, where its description says that."""
    found = _EITHER.search(one.description)
    if found is None:
        return
    for _, atom in places(attacked.rule.condition):
        if len(atom) != 3 or atom[0] not in ("==", "in"):
            continue
        if without_methods(atom[1]) != attacked.value_of(one):
            continue
        first = atom[2][1] if atom[2][0] == "set" else atom[2]
        if first[:2] != ("lit", "text"):
            continue
        bare = str(first[2])
        other = found["one"] if found["other"].casefold() in attacked.sentence else found["other"]
        call = attacked.with_value(attacked.stopped or attacked.base, one, f"{other} of {bare}")
        why = f"its {one.name.replace('_', ' ')} is described so: “{one.description.strip().rstrip('.')}”"
        yield Attempt("named otherwise", [Try((call,), why)], list, about=one.name)
        return
