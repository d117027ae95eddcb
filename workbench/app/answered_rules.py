"""The rules that an answer was about, as it left them, and what became of them since.

A question is asked only as long as a policy raises it. An answer to one that it raises no more is in force as
long as the rules stand that said what was chosen, whoever edits the policy.
"""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.dialect.file_imports import with_imports
from workbench.language.kept_sentence import after_rules
from workbench.language.language import Language
from workbench.language.own_clauses import OTHERWISE, in_step, own_clauses
from workbench.language.python_text import rule_text
from workbench.language.theorem_trees import PREFIX as THEOREM
from workbench.language.trees import NotInLanguage, Tree, canonical
from workbench.model import Assumption, Question, WorkbenchError
from workbench.policy.checker.bodies import without_docstring
from workbench.policy.checker.syntax_tree import statements
from workbench.policy.rule_names import RULES

if TYPE_CHECKING:
    from workbench.model import AgentSpec


UNTOLD = "nothing tells which rules it was about"


def rules_as_said(language: Language, names: Collection[str]) -> tuple[str, ...]:
    """The texts of rules of a policy, with constants in the place of their names; its default is one."""
    return tuple(
        _as_said(language, node) for node in ast.parse(language.source).body if rule_name(node) in names
    )


def _as_said(language: Language, node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef):
        trees = _trees(language, node)
        if len(trees) == 1:
            return rule_text(trees[0], node.name, (ast.get_docstring(node) or "").split("\n")[0])
    return f"{ast.unparse(node)}\n"


def rule_name(node: ast.stmt | None) -> str:
    """The name of a rule, or of a constant; empty for anything else."""
    match node:
        case ast.FunctionDef(name=name) if name.startswith(RULES):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return ""


@dataclass(frozen=True, slots=True)
class Lost:
    """A rule of an answer that is not as the answer left it, and what became of it.

    ``is_back`` says that the answer dropped it, and that it stands again.
    """

    name: str
    how: str
    is_back: bool = False


def lost_rules(
    language: Language, agent: AgentSpec, assumption: Assumption, judged: Collection[str] = ()
) -> tuple[Lost, ...]:
    """The rules of an answer that a policy has lost, or that say otherwise in it.

    ``judged`` names the rules that the question is about, where the policy still raises it: its default is
    what they say now, which tells whether the answer is in force.
    """
    if not judged and not assumption.rests_on and not assumption.replaced:
        return (Lost("", UNTOLD),)
    wrote = frozenset(one.partition(" ")[0] for one in assumption.wrote)
    key = _Key(language, agent)
    return _lost(key, assumption.rests_on, assumption.replaced, wrote, frozenset(judged))


class _Key:
    """A policy as the key of a cache: its language, which is made once for a text and an agent."""

    def __init__(self, language: Language, agent: AgentSpec) -> None:
        self.language = language
        self.agent = agent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.language is other.language

    def __hash__(self) -> int:
        return id(self.language)


@lru_cache(maxsize=64)
def _lost(
    key: _Key,
    about: tuple[str, ...],
    replaced: tuple[str, ...],
    wrote: frozenset[str],
    judged: frozenset[str],
) -> tuple[Lost, ...]:
    present = _present(key)
    kept = set(wrote)
    found: list[Lost] = []
    for text in about:
        node = stored_rule(text)
        if node is None:
            return (Lost("", UNTOLD),)
        kept.add(rule_name(node))
        if rule_name(node) not in judged and (how := present.became(node, text)):
            found.append(Lost(rule_name(node), how))
    for text in replaced:
        node = stored_rule(text)
        if node is not None and rule_name(node) not in kept and present.stands(node):
            found.append(Lost(rule_name(node), f"{rule_name(node)} stands again", is_back=True))
    return tuple(found)


def stored_rule(text: str) -> ast.stmt | None:
    """The rule, or the default, that an answer has stored; None for a text that is neither, from anybody."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)
            body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return body[0] if len(body) == 1 and rule_name(body[0]) else None


@lru_cache(maxsize=4)
def _present(key: _Key) -> _Present:
    return _Present(key.language, key.agent)


class _Present:
    """The rules of a policy, as what an earlier rule is compared with."""

    def __init__(self, language: Language, agent: AgentSpec) -> None:
        self._language = language
        self._agent = agent
        self._body = ast.parse(language.source).body
        self._nodes = {rule_name(node): node for node in self._body if rule_name(node)}
        self._said: dict[str, frozenset[Tree] | str] = {}

    def became(self, node: ast.stmt, text: str) -> str:
        """What became of an earlier rule; empty if it stands, by whatever name."""
        name = rule_name(node)
        now = self._nodes.get(name)
        if not isinstance(node, ast.FunctionDef):
            same = now is not None and ast.dump(node) == ast.dump(now)
            return "" if same else f"{name} is not what it was"
        if self._is_alike(node) or any(
            self._is_equivalent(node, text, other) for other in self._candidates(node)
        ):
            return ""
        if not isinstance(now, ast.FunctionDef):
            return f"{name} is gone"
        said = " ".join(self._language.write(tree) for tree in _trees(self._language, now))
        return f"{name} says otherwise: {one_line(said)}" if said.strip() else f"{name} says otherwise"

    def stands(self, node: ast.stmt) -> bool:
        """Whether a rule of the name of an earlier one says by its form what that said."""
        now = self._nodes.get(rule_name(node))
        if not isinstance(node, ast.FunctionDef) or not isinstance(now, ast.FunctionDef):
            return False
        return self._says(now) == _said(self._language, node)

    def _is_alike(self, node: ast.FunctionDef) -> bool:
        """Whether a rule, by whatever name, says by its form what an earlier one said."""
        said = _said(self._language, node)
        return any(self._says(other) == said for other in self._candidates(node))

    def _says(self, node: ast.FunctionDef) -> frozenset[Tree] | str:
        if node.name not in self._said:
            self._said[node.name] = _said(self._language, node)
        return self._said[node.name]

    def _candidates(self, node: ast.FunctionDef) -> Iterator[ast.FunctionDef]:
        """The rules of the form of an earlier one, that of its name first."""
        form = _form(node.name)
        own = self._nodes.get(node.name)
        others = (one for one in self._nodes.values() if one is not own)
        for other in (own, *others):
            if isinstance(other, ast.FunctionDef) and _form(other.name) == form:
                yield other

    def _is_equivalent(self, node: ast.FunctionDef, text: str, other: ast.FunctionDef) -> bool:
        """Whether the solver shows that an earlier rule and one of the policy hold on the same inputs.

        Both have to read the same of the run: what is not known there decides nothing in either.
        """
        from workbench.dialect.lowered_policy import lowered_policy
        from workbench.engines.smt.preview import satisfiable
        from workbench.policy.flat.traverse import free_names
        from workbench.policy.terms import And, Not

        earlier = f"{node.name}_as_answered"
        rest = [one for one in self._body if not _is_rule_or_claim(one)]
        source = "\n\n\n".join(
            (*map(ast.unparse, (*rest, other)), text.replace(f"def {node.name}(", f"def {earlier}(", 1))
        )
        try:
            terms = lowered_policy(source, self._agent).terms
        except WorkbenchError:
            return False
        bodies = {rule.name: rule.body for rule in terms.rules}
        if bodies.keys() != {other.name, earlier}:
            return False
        old, new = bodies[earlier], bodies[other.name]
        return free_names(old) == free_names(new) and all(
            satisfiable(terms, And((one, Not(that)))) is False for one, that in ((old, new), (new, old))
        )


def _form(name: str) -> str:
    return next(form for form in RULES if name.startswith(form))


def _is_rule_or_claim(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name.startswith((*RULES, "contract_", THEOREM))


def _said(language: Language, node: ast.FunctionDef) -> frozenset[Tree] | str:
    """What a rule says of its tools; its text without its docstring where it has no words."""
    trees = _trees(language, node)
    if trees:
        return frozenset(map(canonical, trees))
    return ast.dump(node.args) + "".join(map(ast.dump, without_docstring(node.body)))


def _trees(language: Language, node: ast.FunctionDef) -> tuple[Tree, ...]:
    """What a rule says of its tools; nothing where it has no words, or speaks of a tool that is gone."""
    try:
        return tuple(tree for tree, _ in language.trees(node))
    except (NotInLanguage, KeyError):
        return ()


# --- What an answer put into a policy of calls, so that it can be taken back


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
    return {node.name: node for node in statements(source) if isinstance(node, ast.FunctionDef)}


@lru_cache(maxsize=4096)
def _hash(node: ast.FunctionDef) -> str:
    return hashlib.sha256(ast.unparse(node).encode()).hexdigest()[:8]


def _text(source: str, node: ast.FunctionDef) -> str:
    return "\n".join(source.split("\n")[node.lineno - 1 : node.end_lineno]) + "\n"
