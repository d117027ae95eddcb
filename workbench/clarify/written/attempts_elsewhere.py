"""Attempts beside what a rule looks at: another tool, a link, another field, one of two tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.clarify.written.acts_of_tools import (
    ANY,
    DELETING,
    GIVING_OUT,
    KNOWN,
    LINKS,
    READING,
    SEARCHING,
    SENDING,
    SHARING,
    STRONGER,
    WAYS,
    WRITING,
    Ways,
    effect_of_tool,
    words_of_acts,
)
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import LISTS, Attacked, fields_spoken_of, texts_held, words_of
from workbench.clarify.written.attempts import UNDECLARED, Attempt, Try, beside, offering
from workbench.clarify.written.attempts_at_folders import (
    attempts_by_links,
    attempts_by_moving,
    attempts_from_above,
    attempts_from_other_folder,
    has_both_ends,
    in_folders,
)
from workbench.clarify.written.attempts_at_one_of_two import attempts_at_one_of_two
from workbench.clarify.written.attempts_at_other_fields import (
    attempts_at_other_fields,
    attempts_with_another_name,
    attempts_with_the_same_id,
    attempts_with_the_same_words,
)
from workbench.clarify.written.attempts_at_texts import among, declared, given
from workbench.clarify.written.attempts_by_alike_tools import (
    by_broadcast,
    by_its_value,
    by_list_of_them,
    by_parameter,
)
from workbench.clarify.written.attempts_by_programs import (
    BY_COMMAND,
    STRONGER_COMMAND,
    by_command,
    by_download,
    by_its_call,
    by_its_tool,
)
from workbench.clarify.written.attempts_by_removal import by_removal, puts_aside
from workbench.clarify.written.attempts_by_told_effects import by_choice, by_told_effects, by_told_flags
from workbench.clarify.written.attempts_by_told_things import by_told_things
from workbench.clarify.written.book import places
from workbench.clarify.written.said_of_another_tool import Sibling, moved_rule, usual_call, with_same
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, TRUE, Tree, is_tree, joined
from workbench.language.words import things
from workbench.model import Json, Kind
from workbench.runs.values.name_words import RECIPIENTS

_TABLES = frozenset(("table", "tables", "relation", "dataset", "collection", "view"))
_CALLED = {
    "path": "a path", "mail_address": "an address", "url": "a URL", "sql": "a statement",
}  # fmt: skip


def attempts_elsewhere(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts with another tool or another field."""
    if not _is_carried_over(attacked):
        yield from attempts_at_other_fields(attacked)
        yield from _other_tools(attacked)
        yield from attempts_by_links(attacked)
        yield from attempts_by_moving(attacked)
        yield from attempts_with_the_same_id(attacked)
        yield from attempts_with_another_name(attacked)
        yield from attempts_with_the_same_words(attacked)
        yield from _stronger_tools(attacked)
    yield from attempts_from_other_folder(attacked)
    yield from attempts_from_above(attacked)
    yield from attempts_at_one_of_two(attacked)


def _is_carried_over(attacked: Attacked) -> bool:
    """Whether another rule for the sentence says the same of its own tool, and this one only carries it over.

    Beside the first are all tools by which its sentence is got past; what else these do it does not speak of.
    """
    rule, said = attacked.rule, _of_any_field(attacked.rule.condition)
    if rule.form == "permit":
        return False
    for other in attacked.book.rules:
        if other.name == rule.name:
            return False
        if other.form == rule.form and not {*other.requirements}.isdisjoint(rule.requirements):
            first = _of_any_field(other.condition)
            if first != TRUE and any(part == first for _, part in places(said)):
                return True
    return False


def _of_any_field(tree: Tree) -> Tree:
    """A condition with the same sign for every field of the call and every element."""
    if tree[:2] == ("attr", CALL) or tree[:1] == ("name",):
        return ("name", "value")
    return tuple(_of_any_field(part) if is_tree(part) else part for part in tree)


_BY_DESCRIPTION = ("told effect", "told thing")
_NOT_SAID = "takes {} too, and neither its name nor its description says what for"


def _other_tools(attacked: Attacked) -> Iterator[Attempt]:
    if attacked.rule.form == "permit":
        return
    by_effect = [*_by_effect(attacked, WAYS)]
    of_table = sorted(_by_table(attacked), key=lambda one: not {*words_of(one.call.tool)} & GIVING_OUT)
    same_values = [*by_effect, *of_table]
    by_path = by_command(attacked, BY_COMMAND)
    instead = [*by_path, *by_download(attacked), *by_its_call(attacked), *by_its_tool(attacked)]
    removed = [*by_removal(attacked, {one.call.tool for one in by_effect})]
    aside = [*filter(puts_aside, removed)]
    other = same_values if _passing(attacked, same_values) else by_parameter(attacked)
    shown: set[str] = set()
    for kind, found in (
        ("other tool", other),
        ("nobody named", _to_nobody_named(attacked)),
        ("in a list", by_list_of_them(attacked)),
        ("thrown away", (one for one in removed if one not in aside)),
        ("put aside", aside),
        ("state instead", by_choice(attacked)),
        ("value instead", by_its_value(attacked)),
        ("many at once", by_broadcast(attacked)),
        ("command instead", instead),
        ("told flag", by_told_flags(attacked)),
        ("told effect", by_told_effects(attacked)),
        ("told thing", by_told_things(attacked)),
    ):
        others = [one for one in found if kind not in _BY_DESCRIPTION or one.call.tool not in shown]
        for attempt in _of_siblings(attacked, kind, others):
            shown |= {one.calls[-1].tool for one in attempt.tries}
            yield attempt


def _stronger_tools(attacked: Attacked) -> Iterator[Attempt]:
    if attacked.rule.form != "permit":
        yield from _of_siblings(attacked, "stronger tool", [*_by_effect(attacked, STRONGER)])
        yield from _of_siblings(attacked, "stronger command", [*by_command(attacked, STRONGER_COMMAND)])
        yield from _of_siblings(attacked, "whole folder", [*_by_search(attacked)])


def _of_siblings(attacked: Attacked, kind: str, found: Sequence[Sibling]) -> Iterator[Attempt]:
    """Yield the attempt with calls of other tools, and that with those of which nothing can be said yet."""
    passing = _passing(attacked, found)
    if kind in ("other tool", "value instead", "many at once") and not any(
        one.advice for one in passing
    ):  # the tool may be closed
        types = {one.tool: one for one in attacked.book.language.types.calls.values()}
        closed = ((one, one.tree or _closed_tool(attacked, types[one.call.tool])) for one in passing)
        passing = [replace(one, tree=tree) for one, tree in closed]
    for about in ("", UNDECLARED):
        alike = [one for one in passing if (one.tree is None) is bool(about)]
        effects = [beside(attacked.rule, *(one.tree for one in alike if one.tree is not None))]
        tries = [Try((*one.before, one.call), one.why) for one in alike]
        advice = next((one.advice for one in alike if one.advice), "")
        yield Attempt(kind, tries, offering(*([] if about else effects)), advice, about=about)


def _closed_tool(attacked: Attacked, other: CallType) -> Tree:
    """That a tool is closed as a whole."""
    return ("call", attacked.rule.form, TRUE, ("name", other.name))


def _passing(attacked: Attacked, found: Sequence[Sibling]) -> Sequence[Sibling]:
    runs = ((one, attacked.passing((one.call,))) for one in found)
    return [replace(one, call=run[-1], before=run[:-1]) for one, run in runs if run is not None]


def _by_effect(attacked: Attacked, ways: Ways) -> Iterator[Sibling]:
    """Yield the tools that do the same, or more, with a value of the same kind, by words of their names."""
    verbs = words_of_acts(attacked.book, attacked.call_type)
    for kind, does, others, how in ways:
        held = ((one, _stopped_with(attacked, one)) for one in attacked.fields_of(kind))
        one, stopped = next(((one, call) for one, call in held if call is not None), (None, None))
        if one is None or stopped is None or not verbs & does:
            continue
        if ways is STRONGER and does & READING and not verbs & (READING | SEARCHING):
            continue  # what is not given out may be changed
        for other, field in _siblings(attacked, kind, others):
            if does & READING and has_both_ends(attacked, other, one):
                continue  # that is shown with the call that uses it where the rule permits it
            if ways is STRONGER and not words_of_acts(attacked.book, other) & KNOWN:
                continue
            alike = [*in_folders(attacked, one, stopped, other)]
            if ways is STRONGER:  # a folder that another sentence opens for more is no way past this one
                alike = [each for each in alike if each is stopped or _is_by_name(attacked, one, each)]
            calls = [with_same(attacked, each, {one.key: field}, other) for each in alike]
            call = next((each for each in calls if attacked.may_pass(each)), calls[0])
            why = how if words_of_acts(attacked.book, other) & KNOWN else _NOT_SAID.format(_CALLED[kind])
            advice = "" if field.kind else declared(other.tool, field, kind)
            yield Sibling(call, f"{other.tool} {why}", moved_rule(attacked, one, other, field), advice)


def _is_by_name(attacked: Attacked, one: CallField, stopped: TriedCall) -> bool:
    """Whether a rule stops a call with a path because of its name, and lets others of its folder pass."""
    folder = str(stopped.arguments[one.key]).rpartition("/")[0]
    return attacked.passes(attacked.with_value(stopped, one, f"{folder}/x"))


def _by_search(attacked: Attacked) -> Iterator[Sibling]:
    """Yield the tools that search a folder with a file which a rule closes.

    Where it closes the folder, too, it may say the same of such a tool; else the tool is closed as a whole.
    """
    if not words_of_acts(attacked.book, attacked.call_type) & (READING | SHARING):
        return
    spoken = fields_spoken_of(attacked)
    for one in attacked.fields_of("path"):
        stopped = _stopped_with(attacked, one)
        file = "" if stopped is None else str(stopped.arguments[one.key])
        if stopped is None or "/" not in file.lstrip("/"):
            continue
        folder = file.rpartition("/")[0]
        within = replace(stopped, arguments={**stopped.arguments, one.key: folder})
        is_closed = attacked.stops(attacked.with_value(stopped, one, folder))
        for other in attacked.book.language.types.calls.values():
            fields = [each for each in other.fields if attacked.kind_in(other, each) == "path"]
            does = words_of_acts(attacked.book, other)
            if not fields or not does & SEARCHING or does & (READING | SHARING):
                continue
            if other.name in attacked.rule.classes or fields[0].name in spoken.get(other.name, ()):
                continue
            call = with_same(attacked, within, {one.key: fields[0]}, other)
            tree = moved_rule(attacked, one, other, fields[0]) if is_closed else _closed_tool(attacked, other)
            advice = "" if tree is not None or fields[0].kind else declared(other.tool, fields[0], "path")
            yield Sibling(call, f"it goes through a folder, and the rule closes {file}", tree, advice)


def _stopped_with(attacked: Attacked, one: CallField) -> TriedCall | None:
    """A call that the rule stops with one text in a field: for that text, if one is known to do it alone."""
    stopped = attacked.stopped
    if stopped is None:
        return None
    base = attacked.allowed or stopped
    known = texts_held((stopped, *attacked.logged, *attacked.made), one)
    alone = (text for text in dict.fromkeys(known) if attacked.stops(attacked.with_value(base, one, text)))
    value = stopped.arguments.get(one.key)
    text = next(alone, value if isinstance(value, str) else None)
    return None if text is None else TriedCall(stopped.tool, {**stopped.arguments, one.key: text})


def _by_table(attacked: Attacked) -> Iterator[Sibling]:
    """Yield the tools that take the name of a table which a rule about statements closes."""
    spoken = fields_spoken_of(attacked)
    for one in attacked.fields_of("sql"):
        tables = [
            name
            for name in attacked.texts
            if name.isidentifier() and attacked.stops_having(one, f"SELECT * FROM {name}")
        ]
        for name, other in attacked.book.language.types.calls.items():
            fields = [each for each in other.fields if {*words_of(each.name)} & _TABLES]
            does = {*words_of(other.tool)}
            if not tables or not fields or name in attacked.rule.classes:
                continue
            if fields[0].name in spoken.get(name, ()):
                continue
            if does & (DELETING | WRITING) and not does & GIVING_OUT and _only_reads(attacked, one):
                continue
            value: Json = [tables[0]] if fields[0].type.kind in LISTS else tables[0]
            call = TriedCall(other.tool, {**usual_call(attacked, other).arguments, fields[0].key: value})
            tree = _closed_table(attacked, other, fields[0], tables)
            yield Sibling(call, f"{other.tool} takes that table too", tree)


def _only_reads(attacked: Attacked, one: CallField) -> bool:
    """Whether a rule speaks of what statements read, and of no change."""
    return attacked.reading.parts.get(one.name, set[str]()) <= {"reads", "columns", "shown"}


def _closed_table(attacked: Attacked, other: CallType, field: CallField, tables: Sequence[str]) -> Tree:
    value = attacked.value_of(field)
    if field.type.kind in LISTS:
        each: Tree = ("name", "each")
        said: Tree = ("call", "any", ("gen", each, among(each, tables), value, ("lit", "bool", True)))
    else:
        said = given(attacked, field, among(value, tables))
    return ("call", attacked.rule.form, said, ("name", other.name))


def _to_nobody_named(attacked: Attacked) -> Iterator[Sibling]:
    """Yield the tools that give something out without an address, where a rule is about whom it goes to.

    They go to whoever is at the other end: an answer to a mail, a link that anybody opens.
    """
    verbs, allowed = {*words_of(attacked.tool)} & (SENDING | SHARING), attacked.allowed
    told_apart = (
        one
        for one in attacked.fields_of("mail_address")
        if allowed is None or allowed.arguments.get(one.key)  # else none is allowed, whoever it is
    )
    if not verbs or not any(_stopped_with(attacked, one) for one in told_apart):
        return
    spoken = fields_spoken_of(attacked)
    for name, other in attacked.book.language.types.calls.items():
        named = {
            word for one in other.fields for each in words_of(one.name) for word in (each, *things([each]))
        }
        words = {*words_of(other.tool)}
        is_link = bool(words & LINKS) and any(attacked.kind_in(other, one) == "path" for one in other.fields)
        is_answer = bool(words & _ANSWERING) and not named & _ADDRESSED and not is_link
        if name in spoken or name in attacked.rule.classes or effect_of_tool(attacked, other.tool).reads:
            continue
        if not is_answer:
            continue
        usual = usual_call(attacked, other)
        opening = next((found for one in other.fields if (found := _opening(one)) is not None), None)
        given_ = {} if opening is None else {opening[0].key: opening[1]}
        call = TriedCall(other.tool, {**usual.arguments, **given_})
        said = TRUE if opening is None else _is_open(*opening)
        tree: Tree = ("call", attacked.rule.form, said, ("name", name))
        yield Sibling(call, f"{other.tool} names nobody, and gives something out all the same", tree)


_ANSWERING = frozenset(("reply", "respond", "answer", "share", "publish", "link"))
"""What tools do that give something to persons whom the call does not name."""
_ADDRESSED = RECIPIENTS | {
    "address", "channel", "user", "person", "contact", "room", "chat", "group", "team", "phone", "recipients",
    "with", "whom", "people", "member",
}  # fmt: skip
_FOR_ALL = frozenset(("anyone", "everyone", "everybody", "public", "all", "external", "world", "anybody"))
"""Values of a choice by which anybody gets something."""


def _opening(one: CallField) -> tuple[CallField, Json] | None:
    """The value of a field by which anybody gets something; None if it has none, or not that alone."""
    if one.type.kind is Kind.ENUM:
        found = [each for each in one.type.values if {*words_of(each)} & _FOR_ALL]
        return (one, found[0]) if len(found) == 1 and len(one.type.values) > 1 else None
    is_switch = one.type.kind is Kind.BOOL and {*words_of(one.name)} & _FOR_ALL - {"all"}
    return (one, True) if is_switch else None


def _is_open(one: CallField, opening: Json) -> Tree:
    """That a call gives something to anybody; also one that leaves it open."""
    value: Tree = ("attr", CALL, one.name)
    said: Tree = ("==", value, ("lit", "text", opening)) if isinstance(opening, str) else value
    return joined("or", [("is none", value), said]) if one.type.optional else said


def _siblings(
    attacked: Attacked, kind: str, ways: Sequence[tuple[frozenset[str], frozenset[str]]]
) -> Iterator[tuple[CallType, CallField]]:
    """Yield the tools that do the same, each with the field that has the value, of which no rule speaks."""
    spoken = fields_spoken_of(attacked)
    for name, other in attacked.book.language.types.calls.items():
        if name in attacked.rule.classes:
            continue
        words = words_of_acts(attacked.book, other)
        found = [one for one in other.fields if attacked.kind_in(other, one) == kind]
        is_unclear = not words & KNOWN and not effect_of_tool(attacked, other.tool).reads
        for does, named in [*ways, (words, frozenset[str]())] if is_unclear else ways:
            acts = not effect_of_tool(attacked, other.tool).reads if does is ANY else words & does
            if not acts or words & LINKS:
                continue
            fitting = [one for one in found if not named or things(words_of(one.name)) & named]
            if fitting and fitting[0].name not in spoken.get(name, ()):
                yield other, fitting[0]
            if fitting:
                break
