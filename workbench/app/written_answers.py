"""What an answer put into a policy of calls, so that it can be taken back."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping
from dataclasses import replace

from workbench.app.answered_rules import rule_name, stored_rule
from workbench.dialect.file_imports import with_imports
from workbench.language.kept_sentence import after_rules
from workbench.language.language import Language
from workbench.language.own_clauses import OTHERWISE, in_step, own_clauses
from workbench.model import Assumption, Question
from workbench.policy.rule_names import RULES


def with_what_it_wrote(assumption: Assumption, before: str, after: str) -> Assumption:
    """The assumption of an answer with what a policy has after it and did not have before."""
    old, new = _functions(before), _functions(after)
    changed = {name: node for name, node in new.items() if name not in old or _hash(old[name]) != _hash(node)}
    gone = {name: node for name, node in old.items() if name not in new or name in changed}
    return replace(
        assumption,
        wrote=(
            *(f"{name} {_hash(node)}" for name, node in changed.items() if name.startswith(RULES)),
            *(name for name in changed if name.startswith(OTHERWISE) and name not in old),
        ),
        replaced=tuple(_text(before, node) for name, node in gone.items() if name.startswith(RULES)),
    )


def with_former(assumption: Assumption, former: Assumption | None, question: Question) -> Assumption:
    """The assumption of an answer with the rules of the former one, if that stays beside it.

    That is so where the question is asked again about the rules that the former answer left: the former one
    named one of several rules, which is no choice any more.
    """
    if former is None or former.value in [option.value for option in question.options]:
        return assumption
    earlier = {rule_name(stored_rule(text)): text for text in former.replaced}
    if former.value not in earlier:
        return assumption
    later = {rule_name(stored_rule(text)): text for text in assumption.replaced}
    stands = {rule_name(stored_rule(text)): text for text in (*former.rests_on, *assumption.rests_on)}
    wrote = {one.partition(" ")[0]: one for one in (*former.wrote, *assumption.wrote)}
    return replace(
        assumption,
        wrote=tuple(wrote.values()),
        replaced=tuple({**later, **earlier}.values()),
        rests_on=tuple(stands.values()),
    )


def changed_rules(before: str, after: str) -> frozenset[str]:
    """The rules of two versions of a policy that are not the same in both."""
    old, new = _functions(before), _functions(after)
    names = {name for name in {*old, *new} if name.startswith(RULES)}
    same = {name for name in old.keys() & new.keys() if _hash(old[name]) == _hash(new[name])}
    return frozenset(names - same)


def still_held(assumption: Assumption, source: str) -> tuple[str, ...]:
    """The functions that an answer put into a policy and that still stand in it."""
    try:
        present = _functions(source)
    except SyntaxError:
        return ()
    return tuple(name for name in _written(assumption) if name in present)


def without_answer(language: Language, assumption: Assumption) -> tuple[str, frozenset[str]]:
    """The policy of a language without what an answer wrote, and the rules that are as they were before it.

    A rule of the answer that was changed or removed since stays as it is: that was said later.
    """
    source = language.source
    present, written = _functions(source), _written(assumption)
    lines = source.split("\n")
    earlier = {rule_name(stored_rule(text)): text for text in assumption.replaced}
    back = {name: text for name, text in earlier.items() if name and name not in {*written, *present}}
    for name, node in reversed([(name, node) for name, node in present.items() if name in written]):
        if name in changed_since(assumption, source):
            continue
        kept = earlier.get(name, "").rstrip()
        lines[node.lineno - 1 : node.end_lineno] = kept.split("\n") if kept else []
        back |= {name: kept} if kept else {}
    text = "\n".join(lines).rstrip() + "\n"
    for name, whole in back.items():
        if name not in present:
            text = after_rules(text, whole)
    text = in_step(language, text, own_clauses(language, source))
    return with_imports(text, language.types), frozenset(back)


def changed_since(assumption: Assumption, source: str) -> tuple[str, ...]:
    """The rules that an answer wrote and that say in a policy what somebody made of them since."""
    written = _written(assumption)
    return tuple(
        name
        for name, node in _functions(source).items()
        if written.get(name) and _hash(node) != written[name]
    )


def _written(assumption: Assumption) -> Mapping[str, str]:
    """The functions that an answer wrote, the rules with their hashes."""
    return {name: mark for name, _, mark in (one.partition(" ") for one in assumption.wrote)}


def _functions(source: str) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def _hash(node: ast.FunctionDef) -> str:
    return hashlib.sha256(ast.unparse(node).encode()).hexdigest()[:8]


def _text(source: str, node: ast.FunctionDef) -> str:
    return "\n".join(source.split("\n")[node.lineno - 1 : node.end_lineno]) + "\n"
