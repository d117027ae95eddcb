"""Whether a value has to be one that the user named, where a sentence speaks of what somebody names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from workbench.clarify.written.asked import MEANT, NAMED, Asked, Effect, identity
from workbench.clarify.written.book import Book, SaidRule
from workbench.language.trees import CALL, Tree, negated, node_of
from workbench.model import Doubt, Kind
from workbench.policy.rule_names import FORBID
from workbench.question_wording import question_about

_NAMED = re.compile(
    r"\b(?:i|we|users?|customers?|analysts?|they|somebody|someone)\s+(?:names?|named|gives?|gave|mentions?"
    r"|mentioned|asks? for|asked for)\b|\b(?:named|given|mentioned|asked for)\s+by\b",
    re.IGNORECASE,
)
_MOST = 4


def named_values(book: Book) -> Iterator[Asked]:
    """Yield a question for each sentence about what is named, whose rules do not ask who named a value."""
    told: set[str] = set()
    asking = {rule.quote for rule in book.rules if _asks_who(book, rule)}
    for rule in book.rules:
        if book.is_pinned(rule) or rule.quote in asking | told or not _NAMED.search(rule.quote):
            continue
        if (found := _asked(book, rule)) is not None:
            told.add(rule.quote)
            yield found


def _asks_who(book: Book, rule: SaidRule) -> bool:
    """Whether a rule, or a fact that it names, asks where a value came from or what the user said."""
    facts = book.language.policy.facts
    waiting: list[ast.AST] = [node_of(rule.condition)]
    seen: set[str] = set()
    while waiting:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Attribute) and node.attr in ("source", "said", "last_said"):
                return True
            name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if name in facts and name not in seen:
                seen.add(name)
                waiting.append(facts[name].node)
    return False


def _asked(book: Book, rule: SaidRule) -> Asked | None:
    effects: dict[str, Effect] = {}
    meanings: dict[str, dict[str, str]] = {}
    for name in _texts(book, rule):
        value: Tree = ("attr", ("attr", CALL, name), "source")
        unnamed = negated(("in", ("lit", "text", "user"), value))
        tree: Tree = ("call", FORBID.rstrip("_"), unnamed, *rule.tree[3:])
        if sentence := book.sentence(tree):
            effects[name] = Effect(new=((rule.name, tree),))
            meanings[name] = {"meaning": sentence}
    if not effects:
        return None
    doubt = Doubt(
        id=identity(NAMED, rule.quote),
        kind=NAMED,
        quote=rule.quote,
        span=rule.span,
        values=(*effects, MEANT),
        default=MEANT,
        requirements=rule.requirements,
        value_facts=meanings,
    )
    return Asked(question_about(doubt), effects, (rule.name,))


def _texts(book: Book, rule: SaidRule) -> list[str]:
    """The texts that every call of a rule has."""
    calls = [book.language.types.calls[name] for name in rule.classes if name in book.language.types.calls]
    if not calls:
        return []
    shared = [field.name for field in calls[0].fields if field.type.kind is Kind.STR]
    return [name for name in shared if all(any(one.name == name for one in call.fields) for call in calls)][
        :_MOST
    ]
