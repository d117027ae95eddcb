"""Which record is meant, where a call names several things of the same kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from workbench.clarify.written.asked import KEY, MEANT, Asked, Effect, identity
from workbench.clarify.written.book import Book, SaidRule, places, replaced
from workbench.language.trees import CALL, RUN, Tree
from workbench.model import Doubt
from workbench.question_wording import question_about


def other_keys(book: Book) -> Iterator[Asked]:
    """Yield a question for each record of a sentence whose key could be another parameter of the call.

    It is about all rules of the sentence that read the record by one of these keys.
    """
    found: dict[str, _Reading] = {}
    for rule in book.rules:
        if book.is_pinned(rule):
            continue
        for _, part in places(rule.condition):
            if not _is_record(book, part):
                continue
            record, key = str(part[2]), str(part[3][2])
            keys = tuple(sorted((key, *_others(book, rule, record, key))))
            name = identity(KEY, rule.quote or rule.name, record, *keys)
            reading = found.setdefault(name, _Reading(name, record, keys))
            reading.rules[rule.name] = rule
            reading.present.add(key)
    for reading in found.values():
        if (asked := _asked(book, reading)) is not None:
            yield asked


@dataclass(frozen=True, slots=True)
class _Reading:
    """The rules of a sentence that read a record by some of the keys that could be meant."""

    identity: str
    record: str
    keys: tuple[str, ...]
    rules: dict[str, SaidRule] = field(default_factory=dict[str, SaidRule])
    present: set[str] = field(default_factory=set[str])

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


def _is_record(book: Book, part: Tree) -> bool:
    """Whether a part is a record with one key, a parameter of the call."""
    is_record = part[0] == "method" and part[1] == RUN and part[2] in book.language.types.records
    return is_record and len(part) == 4 and part[3][:2] == ("attr", CALL)  # one key


def _asked(book: Book, reading: _Reading) -> Asked | None:
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
    first = next(iter(reading.rules.values()))
    doubt = Doubt(
        id=reading.identity,
        kind=KEY,
        quote=first.quote,
        span=first.span,
        values=tuple(meanings),
        default=MEANT if MEANT in meanings else next(iter(reading.present)),
        requirements=tuple(
            dict.fromkeys(one for rule in reading.rules.values() for one in rule.requirements)
        ),
        facts={"record": reading.record.replace("_", " "), "says": says},
        value_facts=meanings,
    )
    return Asked(question_about(doubt), effects, tuple(now))


def _others(book: Book, rule: SaidRule, record: str, key: str) -> list[str]:
    """The other parameters of the calls of a rule that have a word of the record's name or of its key's."""
    calls = [book.language.types.calls[name] for name in rule.classes if name in book.language.types.calls]
    if not calls:
        return []
    types = {field.name: field.type for field in calls[0].fields}
    own = set(record.split("_"))
    return [
        name
        for name, type_ in types.items()
        if name != key
        and type_ == types.get(key)
        and own & set(name.split("_"))
        and all(any(field.name == name for field in call.fields) for call in calls)
    ]
