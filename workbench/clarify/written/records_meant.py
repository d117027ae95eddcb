"""Which record is meant: one of several that a call names, or one that was not looked up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workbench.clarify.written.asked import KEY, MEANT, UNKNOWN_RECORD, Asked, Effect, TriedCall, identity
from workbench.clarify.written.attacked import made_call
from workbench.clarify.written.attempts_at_records import records_read
from workbench.clarify.written.book import Book, SaidRule, doubt_about, places, replaced
from workbench.language.trees import CALL, RUN, TRUE, Tree, canonical, free_names, joined
from workbench.model import Kind
from workbench.policy.rule_names import FORBID
from workbench.question_wording import question_about


def other_keys(book: Book) -> Iterator[Asked]:
    """Yield a question for each record of a sentence whose key could be another parameter of the call.

    It is about all rules of the sentence that read the record by one of these keys.
    """
    found: dict[str, _Reading] = {}
    for rule in book.rules:
        if book.is_pinned(rule):
            continue
        for read in records_read(book, rule):
            own = [read.parameter, *(one.name for one in read.others if read.tells(one.name))]
            keys = tuple(sorted(own))
            name = identity(KEY, rule.quote or rule.name, read.record, *keys)
            reading = found.setdefault(name, _Reading(name, read.record, keys))
            reading.rules[rule.name] = rule
            reading.present.add(read.parameter)
            reading.unclear.update([read.parameter] if read.is_unclear(rule.quote.casefold()) else [])
    for reading in found.values():
        is_asked = bool(reading.unclear) and reading.present != {*reading.keys}
        if (is_asked or reading.identity in book.answered) and (asked := _which(book, reading)) is not None:
            yield asked


@dataclass(frozen=True, slots=True)
class _Reading:
    """The rules of a sentence that read a record by some of the keys that could be meant."""

    identity: str
    record: str
    keys: tuple[str, ...]
    rules: dict[str, SaidRule] = field(default_factory=dict[str, SaidRule])
    present: set[str] = field(default_factory=set[str])
    unclear: set[str] = field(default_factory=set[str])

    def by(self, key: str) -> dict[str, Tree]:
        """What the rules say if they read the record by a key."""
        return {
            name: rule.with_condition(self._read(rule.condition, key)) for name, rule in self.rules.items()
        }

    def _read(self, tree: Tree, key: str) -> Tree:
        for path, part in list(places(tree)):
            if part[:3] == ("method", RUN, self.record) and part[3:] in self._read_by:
                tree = replaced(tree, path, (*part[:3], ("attr", CALL, key)))
        return tree

    @property
    def _read_by(self) -> list[Tree]:
        return [(("attr", CALL, key),) for key in self.keys]


def _which(book: Book, reading: _Reading) -> Asked | None:
    now = {name: rule.tree for name, rule in reading.rules.items()}
    meanings: dict[str, dict[str, str]] = {}
    effects: dict[str, Effect] = {}
    for key in reading.keys:
        trees = reading.by(key)
        sentences = [book.sentence(tree) for tree in trees.values()]
        changed = {name: tree for name, tree in trees.items() if tree != now[name]}
        if all(sentences) or not changed:
            meanings[key] = {"meaning": " ".join(sentences)}
        if all(sentences) and changed:
            effects[key] = Effect(changed, about=tuple(now))
    if not effects:
        return None
    says = " ".join(map(book.sentence, now.values()))
    if len(reading.present) > 1:
        meanings[MEANT] = {"meaning": says}
    rules = [*reading.rules.values()]
    shown = _naming(book, rules[0], reading.keys)
    doubt = doubt_about(
        rules,
        KEY,
        reading.identity,
        tuple(meanings),
        default=MEANT if MEANT in meanings else next(iter(reading.present)),
        facts={"record": reading.record.replace("_", " "), "says": says, "call": str(shown)},
        value_facts=meanings,
    )
    return Asked(question_about(doubt), effects, tuple(now), calls=(shown,))


def _naming(book: Book, rule: SaidRule, keys: Sequence[str]) -> TriedCall:
    """A call that names another thing by each of some keys: a logged one, or one that is made up."""
    call_type = book.language.types.calls[rule.classes[0]]
    fields = [one for one in call_type.fields if one.name in keys]
    for call in book.calls:
        given = call.arguments or {}
        held = [repr(given[one.key]) for one in fields if one.key in given]
        if call.tool == call_type.tool and len(set(held)) == len(keys):
            return TriedCall(call_type.tool, given)
    values = {
        one.name: number if one.type.kind is Kind.INT else f"{one.key} {number}"
        for number, one in enumerate(fields, 1)
    }
    return made_call(call_type, values)


LOOK_UP, DENY, IGNORE = "look-up", "deny", "ignore"
_LOOKED_UP = re.compile(r"\b(?:looked|look|looking) (?:it |them )?up\b|\bunknown\b", re.IGNORECASE)
"""How a sentence says itself what holds of a record that was not looked up."""


def unknown_records(book: Book) -> Iterator[Asked]:
    """Yield a question for each record of a call that rules read and none asks whether it was looked up."""
    readers: dict[Tree, list[SaidRule]] = {}
    asking: set[Tree] = set()
    for rule in book.rules:
        for _, part in places(rule.condition):
            if part[:2] == ("call", "looked_up"):
                asking.add(canonical(part[2]))
            elif _is_record(part, book) and not book.is_pinned(rule) and not _LOOKED_UP.search(rule.quote):
                known = readers.setdefault(canonical(part), [])
                if rule not in known:
                    known.append(rule)
    for record, rules in readers.items():
        if record not in asking and (found := _unknown(book, record, rules)) is not None:
            yield found


def _is_record(part: Tree, book: Book) -> bool:
    return (
        len(part) > 3  # a method with a key
        and part[0] == "method"
        and part[1] == RUN
        and part[2] in book.language.types.records
        and free_names(part) <= {CALL[1], RUN[1]}
    )


def _unknown(book: Book, record: Tree, rules: list[SaidRule]) -> Asked | None:
    classes = tuple(dict.fromkeys(name for rule in rules for name in rule.classes))
    known: Tree = ("call", "looked_up", record)
    denied: Tree = ("call", FORBID.rstrip("_"), ("not", known), *(("name", name) for name in classes))
    ignoring = {
        rule.name: rule.with_condition(
            known if rule.condition == TRUE else joined("and", [known, rule.condition])
        )
        for rule in rules
    }
    sentence, meanings = book.sentence(denied), [book.sentence(tree) for tree in ignoring.values()]
    if not sentence:
        return None
    effects = {DENY: Effect(new=((rules[0].name, denied),))}
    if all(meanings):
        effects[IGNORE] = Effect(ignoring)
    doubt = doubt_about(
        rules,
        UNKNOWN_RECORD,
        identity(UNKNOWN_RECORD, record, *classes),
        (LOOK_UP, *effects),
        default=LOOK_UP,
        facts={
            "record": str(record[2]).replace("_", " "),
            "tools": ", ".join(book.tool_of(name) for name in classes),
            "rules": ", ".join(rule.name for rule in rules),
        },
        value_facts={DENY: {"meaning": sentence}, IGNORE: {"meaning": " ".join(meanings)}},
    )
    return Asked(question_about(doubt), effects, tuple(rule.name for rule in rules))
