"""What holds for a call about a record that was not looked up, which cannot be evaluated."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.clarify.written.asked import UNKNOWN_RECORD, Asked, Effect, identity
from workbench.clarify.written.book import Book, SaidRule, places
from workbench.language.trees import CALL, RUN, TRUE, Tree, canonical, free_names, joined
from workbench.model import Doubt
from workbench.policy.rule_names import FORBID
from workbench.question_wording import question_about

LOOK_UP, DENY, IGNORE = "look-up", "deny", "ignore"


def unknown_records(book: Book) -> Iterator[Asked]:
    """Yield a question for each record of a call that rules read and none asks whether it was looked up."""
    readers: dict[Tree, list[SaidRule]] = {}
    asking: set[Tree] = set()
    for rule in book.rules:
        for _, part in places(rule.condition):
            if part[:2] == ("call", "looked_up"):
                asking.add(canonical(part[2]))
            elif _is_record(part, book) and not book.is_pinned(rule):
                known = readers.setdefault(canonical(part), [])
                if rule not in known:
                    known.append(rule)
    for record, rules in readers.items():
        if record not in asking and (found := _asked(book, record, rules)) is not None:
            yield found


def _is_record(part: Tree, book: Book) -> bool:
    return (
        len(part) > 3  # a method with a key
        and part[0] == "method"
        and part[1] == RUN
        and part[2] in book.language.types.records
        and free_names(part) <= {CALL[1], RUN[1]}
    )


def _asked(book: Book, record: Tree, rules: list[SaidRule]) -> Asked | None:
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
    named = str(record[2]).replace("_", " ")
    doubt = Doubt(
        id=identity(UNKNOWN_RECORD, record, *classes),
        kind=UNKNOWN_RECORD,
        quote=rules[0].quote,
        span=rules[0].span,
        values=(LOOK_UP, *effects),
        default=LOOK_UP,
        requirements=tuple(dict.fromkeys(one for rule in rules for one in rule.requirements)),
        facts={
            "record": named,
            "tools": ", ".join(book.tool_of(name) for name in classes),
            "rules": ", ".join(rule.name for rule in rules),
        },
        value_facts={DENY: {"meaning": sentence}, IGNORE: {"meaning": " ".join(meanings)}},
    )
    return Asked(question_about(doubt), effects, tuple(rule.name for rule in rules))
