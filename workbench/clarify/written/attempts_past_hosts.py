"""Attempts by an address of a host that a rule lets through, which leads to somebody else all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from urllib.parse import quote

from workbench.clarify.written.acts_of_tools import words_of_acts
from workbench.clarify.written.asked import Effect
from workbench.clarify.written.attacked import EVIL_HOST, Attacked, host_in, texts_held
from workbench.clarify.written.attempts import Attempt, narrower, offering
from workbench.clarify.written.attempts_at_texts import (
    declaring,
    given,
    is_of_machine,
    is_typed,
    part,
    text,
    tries_with,
)
from workbench.dialect.call_fields import CallField
from workbench.language.trees import TRUE, Tree, joined

_SHARED = frozenset((
    "bitbucket.org", "dropbox.com", "docs.google.com", "drive.google.com", "gist.github.com", "github.com",
    "gitlab.com", "huggingface.co", "pastebin.com", "raw.githubusercontent.com", "registry.npmjs.org",
    "s3.amazonaws.com", "storage.googleapis.com", "slack.com", "hooks.slack.com", "docker.io", "quay.io",
    "codeberg.org", "youtube.com", "notion.so", "trello.com",
))  # fmt: skip
"""Hosts on which everybody has pages of their own."""
_ANYBODY = "stranger"
_OPENING = frozenset((
    "browse", "browser", "download", "fetch", "get", "goto", "load", "navigate", "open", "page", "visit",
    "web",
))  # fmt: skip
"""What tools do that follow an address to where it leads."""
_FEW = 3
_OWN = re.compile(r"\b(?:our|own|ours|company|team)\b")
"""What sentences say of pages that are not those of anybody."""


def attempts_past_hosts(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts at each field whose hosts a rule limits."""
    opens = bool(words_of_acts(attacked.book, attacked.call_type) & _OPENING)
    for one in attacked.texts_of("url"):
        hosts = _open_hosts(attacked, one, "https://{}/x")
        if hosts:
            if opens:
                yield _inside_an_address(attacked, one, hosts[0])
            yield from _of_another_owner(attacked, one, hosts)
            yield from _another_way(attacked, one, hosts[0])
    for one in attacked.fields_of("command"):
        if "hosts" in attacked.reading.parts[one.name]:
            hosts = _open_hosts(attacked, one, "git clone https://{}/x")
            yield from _of_another_owner(attacked, one, hosts, command="git clone ")


def _open_hosts(attacked: Attacked, one: CallField, form: str) -> Sequence[str]:
    """The hosts that a rule lets through and others not."""
    if attacked.passes(attacked.having(one, form.format(EVIL_HOST))):
        return ()
    named = {host: None for each in attacked.texts if (host := host_in(each))}
    if attacked.rule.form == "ask" or len(named) > _FEW:
        return ()  # whoever opens many hosts means to look about
    return [
        host
        for host in named
        if not is_of_machine(host) and attacked.passes(attacked.having(one, form.format(host)))
    ]


def _inside_an_address(attacked: Attacked, one: CallField, host: str) -> Attempt:
    """An address in the query of one that a rule lets through, to which such a page may lead on."""
    bad = f"https://{EVIL_HOST}/x"
    urls = [
        f"https://{host}/redirect?to={bad}",
        f"https://{host}/login?next={quote(f'//{EVIL_HOST}/x', safe='')}",
        f"https://{host}/search?q=x&callback={quote(bad, safe='')}",
    ]
    query: Tree = ("method", part(attacked, one, "query"), "lower")
    said = joined("or", [("in", text(each), query) for each in ("//", "%2f%2f", "%3a%2f")])
    effects = [narrower(attacked.rule, given(attacked, one, said))] * is_typed(one)
    tries = tries_with(attacked, one, urls, f"its query has the address of {EVIL_HOST}, to which it may lead")
    advice = declaring(attacked, one, "url")
    return Attempt("address in an address", tries, offering(*effects), advice, about=one.name)


_WAYS: Sequence[tuple[str, Tree, Sequence[str], str, re.Pattern[str]]] = (
    (
        "scheme",
        text("https"),
        ("http://{}/x", "ftp://{}/x"),
        "it is not encrypted",
        re.compile(r"http\b|\bftp\b"),
    ),
    (
        "port",
        ("lit", "int", 443),
        ("https://{}:8080/x", "https://{}:8443/x"),
        "another service may answer at another port",
        re.compile(r"\bports?\b|:\d"),
    ),
)
"""Parts of a URL, how they are in most, others, why these are hardly meant, and what speaks of them."""


def _another_way(attacked: Attacked, one: CallField, host: str) -> Iterator[Attempt]:
    """Another scheme or port, where a rule compares the host alone, and neither sentence nor logs know it."""
    read = attacked.reading.parts.get(one.name, set[str]())
    if attacked.is_raw(one) or not is_typed(one) or {"scheme", "port", "text"} & read:
        return
    called = " ".join(texts_held([call for call in attacked.logged if attacked.allows(call)], one))
    ways = [way for way in _WAYS if not way[4].search(f"{attacked.sentence} {called}")]
    tries = [
        each
        for _, _, forms, why, _ in ways
        for each in tries_with(attacked, one, [form.format(host) for form in forms], why)
    ]
    if tries:
        other = joined("or", [("!=", part(attacked, one, name), usual) for name, usual, *_ in ways])
        effects = [narrower(attacked.rule, given(attacked, one, other))]
        yield Attempt("way to a host", tries, offering(*effects), about="scheme and port")


def _of_another_owner(
    attacked: Attacked, one: CallField, hosts: Sequence[str], command: str = ""
) -> Iterator[Attempt]:
    """The page of somebody else on a host where everybody has some."""
    for host in hosts:
        owner = _owner(attacked, one, host)
        if not owner and (host not in _SHARED or _OWN.search(attacked.sentence) is None):
            continue
        url = f"https://{host}/{_ANYBODY}/x"
        whose = f"not of {owner}" if owner else "of anybody"
        tries = tries_with(attacked, one, [f"{command}{url}"], f"this page of {host} is {whose}")
        rewritings = partial(_of_owner, attacked, one, host, owner)
        advice = declaring(attacked, one, "command" if command else "url")
        own = attacked.having(one, f"{command}https://{host}/{owner}/x")
        yield Attempt("other owner", tries, rewritings, advice, about=host, harmless=(own,) if owner else ())
        return


def _owner(attacked: Attacked, one: CallField, host: str) -> str:
    """The owner of pages on a host: the sentence names it, or all logged addresses do."""
    found = re.search(rf"{re.escape(host)}/([\w.-]*\w)", attacked.sentence)
    if found is not None:
        return found[1]
    logged = " ".join(texts_held(attacked.logged, one))
    owners = {*re.findall(rf"{re.escape(host)}[/:]([\w.-]*\w)/", logged)}
    return owners.pop() if len(owners) == 1 and host in _SHARED else ""


_BEFORE_A_HOST = (("https://", "/"), ("git@", ":"), ("ssh://git@", "/"), ("", "/"))
"""How addresses of pages in commands begin, and what comes between a host and the owner."""


def _of_owner(attacked: Attacked, one: CallField, host: str, owner: str) -> Sequence[Effect]:
    """The rule that lets through the pages of one owner alone on a host."""
    if not owner or not is_typed(one):
        return []
    if one.kind == "url":
        path = part(attacked, one, "path")
        own: Tree = ("method", path, "startswith", text(f"/{owner}/"))
        other: Tree = joined("and", [("==", part(attacked, one, "host"), text(host)), ("not", own)])
        return [narrower(attacked.rule, given(attacked, one, other))]
    program, word = ("name", "p"), ("name", "w")
    small: Tree = ("method", word, "lower")
    begun: list[Tree] = [
        ("method", small, "startswith", text(f"{before}{host}{sign}{owner.lower()}/"))
        for before, sign in _BEFORE_A_HOST
    ]
    ways_out: list[Tree] = [("in", text(each), small) for each in ("..", "%2e")]
    elsewhere = joined(
        "and", [("in", text(host), small), joined("or", [("not", joined("or", begun)), *ways_out])]
    )
    some: Tree = ("call", "any", ("gen", word, elsewhere, ("attr", program, "words"), TRUE))
    started: Tree = ("call", "any", ("gen", program, some, part(attacked, one, "started"), TRUE))
    return [narrower(attacked.rule, given(attacked, one, started))]
