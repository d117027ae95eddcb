"""Which record is meant, where a call names several things of the same kind."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.clarify.written.asked import KEY, Asked, Effect, identity
from workbench.clarify.written.book import Book, SaidRule, places, replaced
from workbench.language.trees import CALL, RUN, Tree, canonical
from workbench.model import Doubt
from workbench.question_wording import question_about


def other_keys(book: Book) -> Iterator[Asked]:
    """Yield a question for each record of a rule whose key could be another parameter of the call."""
    for rule in book.rules:
        if book.is_pinned(rule):
            continue
        asked: set[Tree] = set()
        for _, part in places(rule.condition):
            is_record = part[0] == "method" and part[1] == RUN and part[2] in book.language.types.records
            if not is_record or len(part) != 4 or canonical(part) in asked:  # one key
                continue
            asked.add(canonical(part))
            if (found := _asked(book, rule, part)) is not None:
                yield found


def _asked(book: Book, rule: SaidRule, record: Tree) -> Asked | None:
    key = record[3]
    if key[:2] != ("attr", CALL):
        return None
    others = _others(book, rule, str(record[2]), str(key[2]))
    meanings, effects = {str(key[2]): {"meaning": book.sentence(rule.tree)}}, dict[str, Effect]()
    for name in others:
        other: Tree = (*record[:3], ("attr", CALL, name))
        tree = rule.tree
        for place, part in list(places(rule.condition)):
            if canonical(part) == canonical(record):
                tree = rule.with_condition(replaced(tree[2], place, other))
        if sentence := book.sentence(tree):
            meanings[name], effects[name] = {"meaning": sentence}, Effect({rule.name: tree})
    if not effects:
        return None
    doubt = Doubt(
        id=identity(KEY, rule.quote, record[2], *sorted(meanings)),
        kind=KEY,
        quote=rule.quote,
        span=rule.span,
        values=tuple(sorted(meanings)),
        default=str(key[2]),
        requirements=rule.requirements,
        facts={"record": str(record[2]).replace("_", " "), "says": book.sentence(rule.tree)},
        value_facts=meanings,
    )
    return Asked(question_about(doubt), effects)


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
