"""Attempts at the folders that a rule closes: a link, a folder above, one in which a relative path begins.

Also what another tool brings first from a place that a rule closes to one that it opens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from workbench.clarify.written.acts_of_tools import (
    COPYING,
    DELETING,
    KNOWN,
    LINKS,
    MOVING,
    READING,
    SEARCHING,
    TO,
    WHERE_IT_RUNS,
    WRITING,
    words_of_acts,
)
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import (
    Attacked,
    attacked_about,
    hostile,
    made_call,
    near,
    stopping_alike,
    words_of,
)
from workbench.clarify.written.attempts import Attempt, Declaration, Try, beside, narrower_of_tool, offering
from workbench.clarify.written.attempts_at_texts import among, declared, given
from workbench.clarify.written.said_of_another_tool import moved_rule, usual_call, with_field
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import Tree, joined, negated
from workbench.language.words import things
from workbench.model import Kind

_FOLDERS = frozenset(("dir", "directory", "folder"))
_LED_TO = frozenset((
    "target", "source", "src", "from", "old", "origin", "original", "existing", "real", "points", "leads",
    "refers", "opens",
))  # fmt: skip
_MADE_AT = frozenset(
    ("at", "in", "link", "new", "name", "alias", "shortcut", "shown", "location", "where", "place", "appears")
)
_THROUGH = WRITING | READING | COPYING
"""What a tool does through a link: with what the link leads to."""
_MOST_FOLDERS = 4
_FOLDER = re.compile(r"/[\w.@/-]+")


def attempts_from_above(attacked: Attacked) -> Iterator[Attempt]:
    """A call with a whole folder above one that the rule closes, which goes through all that is in it."""
    tool = attacked.book.tools[attacked.tool]
    told = " ".join((tool.description, *words_of(tool.name), *(one.key for one in attacked.call_type.fields)))
    takes_away = words_of_acts(attacked.book, attacked.call_type) & (DELETING | MOVING | COPYING)
    first, *rest = words_of(attacked.tool)
    searches = first in SEARCHING or {*rest} & (SEARCHING - {"scan"})  # a scan may be a picture
    goes_through = searches or (takes_away and _OF_TREES.search(told.lower()))
    if attacked.rule.form == "permit" or not goes_through:
        return
    for one in attacked.fields_of("path"):
        for closed in dict.fromkeys(text.rstrip("/") for text in attacked.texts if _FOLDER.fullmatch(text)):
            stopped = attacked.having(one, closed)
            above = [closed[:place] or "/" for place in range(len(closed)) if closed[place] == "/"]
            calls = {each: attacked.with_value(stopped, one, each) for each in reversed(above)}
            passing = [each for each, call in calls.items() if attacked.passes(call)]
            if not attacked.stops(stopped):
                continue
            tries = [Try((calls[each],), f"{closed} is in it") for each in passing]
            said = given(attacked, one, _is_folder(attacked, one, passing))
            effects = [narrower_of_tool(attacked.rule, attacked.call_type.name, said)] * bool(one.kind)
            advice = "" if one.kind else declared(attacked.tool, one, "path")
            yield Attempt("whole folder", tries, offering(*effects), advice, about=closed)


_OF_TREES = re.compile(r"director|folder|recurs|\btree")
"""What is said of tools that take a folder with all that is in it."""


def _is_folder(attacked: Attacked, one: CallField, folders: Sequence[str]) -> Tree:
    """That a path of a call is one of some folders."""
    return among(("attr", attacked.value_of(one), "absolute"), folders)


def attempts_from_other_folder(attacked: Attacked) -> Iterator[Attempt]:
    """A relative path in a call that names the folder in which it begins, which no rule looks at."""
    rules = stopping_alike(attacked, attacked.call_type.name)
    spoken = set[str]().union(*(each.reading.parts for each in rules), attacked.reading.parts)
    tool = attacked.book.tools[attacked.tool]
    for one in attacked.fields_of("path", "command"):
        is_command = attacked.kind(one) == "command"
        ways = ("touch {}", "cat {}") if is_command else ("{}",)
        named = WHERE_IT_RUNS | (_FOLDERS if is_command else frozenset[str]())
        fields = [each for each in attacked.call_type.fields if named & {*words_of(each.name)}]
        folders = dict.fromkeys(
            text.rstrip("/") for text in (*attacked.texts, "/etc") if _FOLDER.fullmatch(text)
        )
        for at in fields:
            if at.name in spoken or at.type.kind is not Kind.STR or at is one:
                continue
            calls = [
                attacked.with_value(attacked.having(one, way.format("x")), at, folder)
                for folder in folders
                for way in ways
                if attacked.stops_having(one, way.format(f"{folder}/x"))
            ]
            tries = [Try((call,), f"its {at.name} is the folder in which x lies") for call in calls]
            is_declared = not one.kind or tool.cwd_parameter == at.key
            advice = "" if is_declared else Declaration(tool.name, cwd_parameter=at.key)
            value = attacked.value_of(at)
            elsewhere: Tree = (
                ("is some", value) if at.type.optional else ("!=", value, ("lit", "text", tool.cwd))
            )
            effects = [narrower_of_tool(attacked.rule, attacked.call_type.name, elsewhere)]
            yield Attempt(f"field {at.name}", tries, offering(*effects), advice)


def in_folders(
    attacked: Attacked, one: CallField, stopped: TriedCall, other: CallType
) -> Iterator[TriedCall]:
    """Yield a call that the rule stops, and such calls in the folders that rules about another tool name."""
    yield stopped
    if attacked.kind(one) != "path" or one.type.kind is not Kind.STR:
        return
    rules = attacked_about(attacked.book, other.name)
    named = (text.rstrip("/") for each in rules for text in each.texts if _FOLDER.fullmatch(text))
    ends = dict.fromkeys(text.rpartition("/")[2] for text in near("path", attacked.texts))
    for folder in islice(dict.fromkeys(named), _MOST_FOLDERS):
        calls = (attacked.with_value(stopped, one, f"{folder}/{end}") for end in ends)
        yield from islice(filter(attacked.stops, calls), 1)


def attempts_by_links(attacked: Attacked) -> Iterator[Attempt]:
    """A link in a folder that is open to one that is not, and the call through it."""
    allowed, stopped = attacked.allowed, attacked.stopped
    if allowed is None or stopped is None or attacked.rule.form == "permit":
        return
    does = words_of_acts(attacked.book, attacked.call_type)
    if not does & (_THROUGH | DELETING):
        return
    for one in attacked.fields_of("path"):
        good, bad = allowed.arguments.get(one.key), stopped.arguments.get(one.key)
        if not isinstance(good, str) or not isinstance(bad, str):
            continue
        inside = f"{good.rpartition('/')[0]}/shortcut"
        through = attacked.with_value(allowed, one, inside)
        if not does & _THROUGH:  # what is deleted by its own name is the link
            is_whole = attacked.stops(attacked.with_value(stopped, one, f"{bad}/x"))
            bad, last = (bad, "x") if is_whole else (bad.rpartition("/")[0], bad.rpartition("/")[2])
            through = attacked.with_value(allowed, one, f"{inside}/{last}")
        for other, at, to in _linking(attacked):
            link = TriedCall(other.tool, {**made_call(other, {}).arguments, to.key: bad, at.key: inside})
            tree = moved_rule(attacked, one, other, to)
            effects = [] if tree is None else [beside(attacked.rule, tree)]
            tries = [Try((link, through), f"the link leads to {bad}")]
            advice = "" if to.kind else declared(other.tool, to, "path")
            yield Attempt("link", tries, offering(*effects), advice)


def _linking(attacked: Attacked) -> Iterator[tuple[CallType, CallField, CallField]]:
    """Yield the tools that make links, each with the field where one is made and the one to which it leads.

    Where their names say nothing the first one is where it leads, as in ``ln``.
    """
    for other in attacked.book.language.types.calls.values():
        fields = [one for one in other.fields if attacked.kind_in(other, one) == "path"]
        words = words_of_acts(attacked.book, other)
        if len(fields) == 2 and (words & LINKS or not words & KNOWN):
            likely = [
                len({*words_of(one.name)} & _LED_TO) - len({*words_of(one.name)} & _MADE_AT) for one in fields
            ]
            yield (other, fields[0], fields[1]) if likely[1] > likely[0] else (other, fields[1], fields[0])


def attempts_by_moving(attacked: Attacked) -> Iterator[Attempt]:
    """What another tool brings first from where the rule stops a call to where it lets one through."""
    allowed, stopped = attacked.allowed, attacked.stopped
    if allowed is None or stopped is None or attacked.rule.form == "permit" or attacked.reading.reads_run:
        return
    for one in attacked.fields_read:
        bad, good = stopped.arguments.get(one.key), allowed.arguments.get(one.key)
        if not isinstance(bad, str) or not isinstance(good, str):
            continue
        tries: list[Try] = []
        trees: list[Tree] = []
        for other in attacked.book.language.types.calls.values():
            if not has_both_ends(attacked, other, one):
                continue
            source, to = _ends(attacked, other, one)
            usual = usual_call(attacked, other).arguments
            runs = (
                (TriedCall(other.tool, {**usual, source.key: bad, to.key: place}), use)
                for place, use in _brought(attacked, one, (bad, good), allowed)
            )
            why = f"{other.tool} brings first what the rule closes to where it does not hold"
            passing = [Try(run, why) for run in islice(filter(attacked.lets_through, runs), 1)]
            condition = attacked.condition or attacked.rule.condition
            closed, opened = (with_field(condition, one, each) for each in (source, to))
            if passing and closed is not None and opened is not None:
                said = joined("and", [closed, _otherwise(opened)])
                trees.append(("call", attacked.rule.form, said, ("name", other.name)))
            tries += passing
        effects = [beside(attacked.rule, *trees)] if trees else []
        yield Attempt("brought first", tries, offering(*effects), about=one.name)


def _otherwise(said: Tree) -> Tree:
    """That a condition does not hold, without two negations."""
    if said[0] == "not":
        return said[1]
    other = {"==": "!=", "!=": "=="}.get(str(said[0]))
    return negated(said) if other is None else (other, *said[1:])


def has_both_ends(attacked: Attacked, other: CallType, one: CallField) -> bool:
    """Whether a tool brings elsewhere a file, where a rule opens some places alone, or what has a name."""
    kind = attacked.kind(one)
    if other.name in attacked.rule.classes or kind not in ("", "path") or one.type.kind is not Kind.STR:
        return False
    words, is_path = words_of_acts(attacked.book, other), kind == "path"
    brings = words & (MOVING | COPYING | _BRINGING if is_path else MOVING)
    has_ends = bool(brings) and len(_ends(attacked, other, one)) == len(("source", "to"))
    return has_ends and (not is_path or attacked.stops_having(one, hostile(kind)))


def _ends(attacked: Attacked, other: CallType, one: CallField) -> Sequence[CallField]:
    """The fields of a tool for where a thing comes from and where it goes; nothing if they are not told."""
    kind, noun = attacked.kind(one), things(words_of(one.name))
    fields = [
        each for each in other.fields
        if each.type.kind is Kind.STR and attacked.kind_in(other, each) == kind
        and (kind or each.type == one.type)
    ]  # fmt: skip
    ends = [each for each in fields if {*words_of(each.name)} & (TO | _FOLDERS | {"target"})]
    sources = [each for each in fields if each not in ends]
    is_same = any(noun <= things(words_of(each.name)) for each in sources)
    is_told = bool(kind) or (is_same and len(fields) == len(("source", "to")))
    return [sources[0], ends[0]] if len(ends) == 1 and sources and is_told else []


_BRINGING = frozenset(("export", "extract", "import", "publish", "save", "unpack", "unzip", "restore"))


def _brought(
    attacked: Attacked, one: CallField, values: tuple[str, str], allowed: TriedCall
) -> Iterator[tuple[str, TriedCall]]:
    """Yield places at which a rule lets through a call with what lies there, each with that call."""
    bad, good = values
    folder, last = good.rpartition("/")[0], bad.rstrip("/").rpartition("/")[2]
    for place in (f"{folder}/{last}" if "/" in good else f"{bad}-2", good):
        use = attacked.with_value(allowed, one, place)
        if attacked.passes(use):
            yield place, use
