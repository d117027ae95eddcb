"""Attempts at rules that test a part of a URL, or the name of a host, as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from workbench.clarify.written.asked import Effect
from workbench.clarify.written.attacked import EVIL_HOST, Attacked, host_in, texts_held, words_of
from workbench.clarify.written.attempts import Attempt, narrower, offering, saying
from workbench.clarify.written.attempts_at_texts import declaring, given, is_typed, part, text, tries_with
from workbench.clarify.written.book import Path, places, replaced
from workbench.dialect.call_fields import CallField
from workbench.language.trees import Tree, joined

_OPEN = re.compile(r"(?P<scheme>https?)://(?P<host>[\w.-]+)(?P<path>/[\w./-]*\w)/?")
"""A URL with a folder, with which a rule lets URLs begin."""
_CLOSED_PATH = re.compile(r"/(?:[\w-]+/)*[a-z][\w-]*/?")
_HOSTS = frozenset(("host", "hostname", "server", "machine", "node", "domain", "endpoint", "relay", "proxy"))
"""Words of fields with the names of hosts."""
_PREFIX = re.compile(r"[a-z][\w-]*-")


def attempts_at_parts_of_urls(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts at the folders of URLs, and at names of hosts in fields of no kind."""
    for one in attacked.texts_of("url"):
        if attacked.is_raw(one):
            yield from _beside_folder(attacked, one)
        yield from _into_folder(attacked, one)
    for one in attacked.fields_read:
        if not attacked.kind(one) and attacked.is_raw(one) and one.type.element is None:
            yield from _around_host(attacked, one)
            yield from _beside_prefix(attacked, one)


def _tests(attacked: Attacked, value: Tree, *words: str) -> Iterator[tuple[Path, Tree, str]]:
    """Yield the places where a rule tests a value by some words, with the test and its text."""
    for place, atom in [*places(attacked.rule.condition)]:
        if atom[0] == "method" and atom[1] == value and atom[2] in words and atom[3][:2] == ("lit", "text"):
            yield place, atom, str(atom[3][2])
        elif (
            atom[0] in ("in", "not in")
            and "in" in words
            and atom[2] == value
            and atom[1][:2] == ("lit", "text")
        ):
            yield place, atom, str(atom[1][2])


def _beside_folder(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A URL that begins as one with a folder does which a rule lets through, and leads elsewhere."""
    value = attacked.value_of(one)
    for place, _, bare in _tests(attacked, value, "startswith"):
        found = _OPEN.fullmatch(bare)
        if found is None:
            continue
        whole = bare.rstrip("/")
        inside, stranger = (attacked.having(one, each) for each in (f"{whole}/x", f"https://{EVIL_HOST}/x"))
        if not attacked.passes(inside) or not attacked.stops(stranger):
            continue
        up = "../" * found["path"].count("/")
        texts = [*[f"{whole}-evil/x"] * (not bare.endswith("/")), f"{whole}/{up}evil/x"]
        typed = joined(
            "and",
            [
                ("==", part(attacked, one, "scheme"), text(found["scheme"])),
                ("==", part(attacked, one, "host"), text(found["host"].lower())),
                ("in", text(found["path"]), part(attacked, one, "inside")),
            ],
        )
        plain = joined(
            "and", [("method", value, "startswith", text(f"{whole}/")), ("not in", text(".."), value)]
        )
        tries = tries_with(attacked, one, texts, f"it lies outside of {whole}")
        rewritings = partial(_replacing, attacked, place, [typed] if is_typed(one) else [plain])
        yield Attempt("host", tries, rewritings, declaring(attacked, one, "url"), about=bare)
        return


def _replacing(attacked: Attacked, place: Path, conditions: Sequence[Tree]) -> Sequence[Effect]:
    """The rule with each of some conditions in a place."""
    rule = attacked.rule
    return [saying(rule, replaced(rule.condition, place, each)) for each in conditions]


def _into_folder(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Another spelling of a folder of URLs that a rule closes by its text, or the folder itself."""
    value, path = attacked.value_of(one), part(attacked, one, "path")
    for held in (value, path):
        for _, _, bare in _tests(attacked, held, "startswith", "in"):
            if _CLOSED_PATH.fullmatch(bare) is None:
                continue
            known = (host_in(each) for each in attacked.texts)
            start = f"https://{next(filter(None, known), 'intranet.example')}"
            inside, other = (attacked.having(one, each) for each in (f"{start}{bare}x", f"{start}/x"))
            if not attacked.stops(inside) or not attacked.passes(other):
                continue
            stem = bare.rstrip("/")
            texts = [f"{start}{stem}"] * bare.endswith("/")
            texts += [f"{start}/%{ord(stem[1]):x}{stem[2:]}/x"]
            texts += [f"{start}/x/..{stem}/x"] * (held == path)
            tries = tries_with(attacked, one, texts, f"a server may take it for {bare}")
            rewritings = partial(_without_folder, attacked, one, stem, anywhere=held == value)
            yield Attempt("path", tries, rewritings, declaring(attacked, one, "url"), about=bare)
            return


def _without_folder(attacked: Attacked, one: CallField, stem: str, *, anywhere: bool) -> Sequence[Effect]:
    """The rule that closes a folder of URLs in any case of letters, and the folder itself."""
    held = part(attacked, one, "path") if is_typed(one) else attacked.value_of(one)
    small: Tree = ("method", held, "lower")
    name = stem.lower()
    if is_typed(one) and not anywhere:
        tests: list[Tree] = [("==", small, text(name)), ("method", small, "startswith", text(f"{name}/"))]
    else:
        tests = [("method", small, "endswith", text(name)), ("in", text(f"{name}/"), small)]
    tests += [("in", text("%"), held)] * (not is_typed(one))
    return [narrower(attacked.rule, given(attacked, one, joined("or", tests)))]


def _around_host(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A name of another host that has the name of one in it which a rule lets through."""
    value = attacked.value_of(one)
    for place, atom, name in _tests(attacked, value, "in"):
        if not host_in(name) or host_in(name) != name.lower().lstrip("."):
            continue
        host = name.lstrip(".")
        below, stranger = (attacked.having(one, each) for each in (f"x.{host}", EVIL_HOST))
        if not attacked.passes(below) or not attacked.stops(stranger):
            continue
        within = joined("or", [("==", value, text(host)), ("method", value, "endswith", text(f".{host}"))])
        said: Tree = ("not", within) if atom[0] == "not in" else within
        tries = tries_with(
            attacked, one, [f"{name}.{EVIL_HOST}", f"evil-{host}"], f"its name only has {name} in it"
        )
        yield Attempt("name that goes on", tries, partial(_replacing, attacked, place, [said]), about=name)


def _beside_prefix(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A host of somebody else, or a user before one, where a rule lets hosts through by how they begin."""
    value = attacked.value_of(one)
    logged = [*texts_held(attacked.logged, one)]
    if not _HOSTS & {*words_of(one.name)} or any("." in each or "@" in each for each in logged):
        return
    for _, _, begin in _tests(attacked, value, "startswith"):
        inside, stranger = (attacked.having(one, each) for each in (f"{begin}1", "other"))
        if _PREFIX.fullmatch(begin) is None or not attacked.passes(inside) or not attacked.stops(stranger):
            continue
        texts = [f"{begin}1.{EVIL_HOST}", f"{begin}1@{EVIL_HOST}"]
        signs = joined("or", [("in", text(each), value) for each in (".", "@")])
        effects = [narrower(attacked.rule, given(attacked, one, signs))]
        tries = tries_with(attacked, one, texts, f"it is a host of somebody else that begins with {begin}")
        yield Attempt("name that goes on", tries, offering(*effects), about=begin)
