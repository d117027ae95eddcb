"""Answers about the rules of a policy of calls: asking, storing them, and what became of the rules since.

A question is asked only as long as a policy raises it. An answer to one that it raises no more is in force as
long as the rules stand that said what was chosen, whoever edits the policy.
"""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.clause_findings import is_about_terms
from workbench.app.results import SessionChange
from workbench.app.session_language import language_of
from workbench.clean_text import one_line
from workbench.dialect.file_imports import with_imports
from workbench.language.alone import ALONE
from workbench.language.kept_sentence import after_rules
from workbench.language.language import Language
from workbench.language.own_clauses import OTHERWISE, in_step, own_clauses
from workbench.language.python_text import rule_text
from workbench.language.theorem_trees import PREFIX as THEOREM
from workbench.language.trees import NotInLanguage, Tree, canonical
from workbench.model import (
    AgentSpec,
    Assumption,
    Case,
    Question,
    RecordedCall,
    Requirement,
    Run,
    WorkbenchError,
)
from workbench.policy.checker.bodies import without_docstring
from workbench.policy.checker.syntax_tree import statements
from workbench.policy.rule_names import DEFAULT, RULES

if TYPE_CHECKING:
    from workbench.app.policy import Policy
    from workbench.app.request import Request
    from workbench.clarify.written import Asked, Book, Effect
    from workbench.language.own_clauses import OwnClause
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session


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
    text = in_step(language, text, source)
    return with_imports(text, language.types), frozenset(back)


def chosen_bounds(language: Language, assumptions: Iterable[Assumption]) -> frozenset[tuple[str, Tree]]:
    """The constants that answers to shown calls put into rules, each with the name of its rule.

    Whoever chose the sentence with them was shown on which side each is.
    """
    nodes, wrote = _functions(language.source), set[str]()
    before, added = set[tuple[str, Tree]](), set[tuple[str, Tree]]()
    for one in sorted(assumptions, key=lambda one: one.when):
        if one.question.startswith("witness:"):
            wrote |= {*still_held(one, language.source)}
            old, new = (
                {each for text in texts for each in _constants(language, stored_rule(text))}
                for texts in (one.replaced, one.rests_on)
            )
            before |= old - added
            added |= new - before
    for name, node in nodes.items():
        before |= {*_constants(language, node)} if name not in wrote else set[tuple[str, Tree]]()
    every = ((name, each) for name in wrote for each in _constants(language, nodes[name]))
    return frozenset((name, each[1]) for name, each in every if each not in before)


def _constants(language: Language, node: ast.stmt | None) -> Iterator[tuple[str, Tree]]:
    """Yield the constants of a rule, each with the sentence that the rule is for."""
    from workbench.clarify.written.book import places

    if isinstance(node, ast.FunctionDef) and node.name.startswith(RULES):
        sentence = (ast.get_docstring(node) or "").split("\n")[0]
        for tree in _trees(language, node):
            yield from ((sentence, part) for _, part in places(tree) if part[:1] == ("lit",))


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


# --- Asking about a policy of calls, and putting what an answer means into it


class TermAnswers:
    """Asks about the rules of a policy of calls, and puts what an answer means into it."""

    def __init__(self, session: Session, request: Request, policy: Policy) -> None:
        self._session = session
        self._request = request
        self._policy = policy
        self._at_once: frozenset[str] = frozenset()

    @contextmanager
    def listed(self, questions: Iterable[str]) -> Generator[None]:
        """Ask some questions as long as they can be: of what is answered at once none waits for another."""
        self._at_once = frozenset(questions)
        try:
            yield
        finally:
            self._at_once = frozenset()

    def asked(self, requirements: tuple[Requirement, ...]) -> tuple[Asked, ...]:
        """The questions about the policy as it is; none where it is not in the dialect."""
        terms = self._policy.checked()[0]
        if terms is None:
            return ()
        language = language_of(self._session.written, self._session.agent)
        with ALONE:
            agent, assumptions = self._session.agent, self._session.assumptions
            answered = self._at_once.union(one.question for one in assumptions)
            changing = (one for one in assumptions if one.wrote and one.question.startswith("witness:"))
            in_force = frozenset(one.question for one in changing if not lost_rules(language, agent, one))
            key = _Asking(language, agent, terms, self._session.cases)
            chosen = chosen_bounds(language, assumptions)
            logs = tuple(self._session.log_paths)
            return _asked(key, requirements, answered, in_force, logs, chosen)

    def raised(self) -> Mapping[str, Asked]:
        """The questions about the policy by their ids."""
        if self._session.is_drafted:
            return {}
        return {one.question.id: one for one in self.asked(self._request.draft().requirements)}

    def asked_still(self, asked: Asked) -> Question | None:
        """An earlier question as it is asked now, perhaps by another id; None if it is asked no more."""
        now = self.raised()
        same = (one for one in now.values() if asked.calls and one.calls == asked.calls)
        found = now.get(asked.question.id) or next(same, None)
        return None if found is None else found.question

    def lets_through(self, asked: Asked, value: str | None = None) -> bool:
        """Whether the policy lets the calls of a question through, or did after one answer alone."""
        from workbench.clarify.written.tried_calls import Trials

        text, agent = (None, None) if value is None else self.planned(asked.question, value)
        terms = self._policy.terms(text, agent=agent)
        return Trials(terms, agent or self._session.agent).confirms(asked.calls)

    def beside(self, asked: Asked, value: str) -> Asked | None:
        """An earlier question with the effect of an answer beside what its rules say now; None for no effect.

        What either stops is stopped then.
        """
        from workbench.language.trees import joined

        effect, source = asked.effects.get(value), self._session.written
        language, nodes = language_of(source, self._session.agent), _functions(source)
        if effect is None or effect.dropped or not effect.said.keys() <= nodes.keys():
            return None
        said: dict[str, Tree] = {}
        for name, tree in effect.said.items():
            now = _trees(language, nodes[name])
            if len(now) != 1 or now[0][3:] != tree[3:]:
                return None
            word = "and" if tree[1] == "permit" else "or"
            both = joined(word, [now[0][2], tree[2]])
            said[name] = (*tree[:2], joined(word, [*dict.fromkeys(both[1:])]), *tree[3:])
        return replace(asked, effects={value: replace(effect, said=said)})

    def answer(
        self, question: Question, assumption: Assumption, *, anyway: bool, asked: Asked | None = None
    ) -> SessionChange:
        """Store an answer and what it means; ``asked`` is its question where that is raised no more.

        Raises Contradicts, and stores nothing, if clauses of the contract would not hold then, unless
        ``anyway`` is given.
        """
        from workbench.app.agent import Agent
        from workbench.app.contradictions import Contradicts
        from workbench.app.effect import refuted_by
        from workbench.app.said_cases import set_cases_of

        session, requirements = self._session, self._request.draft().requirements
        raised = (one for one in self.asked(requirements) if one.question.id == question.id)
        asked = asked or next(raised, None)
        if asked is None:
            raise WorkbenchError(f"{question.id} is asked no more; 'workbench ask' lists what is.")
        effect, label = self._effect(asked, assumption.value), f"Answer: {assumption.statement}"
        before, cases = session.written, session.cases
        kept = [one for one in session.assumptions if one.question != question.id]
        former = next((one for one in session.assumptions if one.question == question.id), None)
        lost, dropped = {question.id, *self.lost(())}, tuple[Assumption, ...]()
        with session.transaction(label):
            if effect is not None and effect.agent is not None:
                Agent(session).set_spec(effect.agent, label)
            if effect is None:
                answered = self._about(assumption, before, asked.about)
                session.set_assumptions((*kept, with_former(answered, former, asked.question)))
            else:
                language = language_of(before, session.agent)
                is_open = language.policy.default_allow
                text, rules = with_effect(language, before, effect, open_default=is_open)
                found = refuted_by(self._policy, before, text)
                if found and not anyway:
                    raise Contradicts(found)
                about = (*effect.about, *rules, *_permitting(language, text, effect.open_tools))
                if is_open and effect.open_tools:
                    about = (*about, DEFAULT)
                about = about or asked.about  # the agent file alone says more of what these rules read
                answered = with_what_it_wrote(self._about(assumption, text, about), before, text)
                session.set_assumptions((*kept, with_former(answered, former, asked.question)))
                session.set_policy(text)
                changed = changed_rules(before, session.written)
                of = () if effect.agent is None else question.requirements  # their rules read other things
                set_cases_of(session, self._policy, requirements, of, {*rules, *changed})
                dropped = self.follow((), lost, changed)
        return SessionChange(session.written != before, session.cases != cases, dropped=dropped)

    def _about(self, assumption: Assumption, text: str, names: Collection[str]) -> Assumption:
        """The assumption of an answer with the rules of a policy that say what was chosen."""
        with ALONE:
            said = rules_as_said(language_of(text, self._session.agent), names)
        return replace(assumption, rests_on=said)

    def lost(self, asked: Iterable[Asked]) -> Mapping[str, tuple[Lost, ...]]:
        """The rules that each answer about the terms has lost, by its question; ``asked`` are those raised.

        Nothing is told of a policy that is not in the dialect.
        """
        session = self._session
        answered = [one for one in session.assumptions if is_about_terms(one.question)]
        if not answered or self._policy.checked()[0] is None:
            return {}
        judged = {one.question.id: one.about for one in asked}
        with ALONE:
            language = language_of(session.written, session.agent)
            found = {
                one.question: lost_rules(language, session.agent, one, judged.get(one.question, ()))
                for one in answered
            }
        return {question: lost for question, lost in found.items() if lost}

    def follow(
        self, renewed: Collection[str], before: Collection[str], turned: Collection[str] = ()
    ) -> tuple[Assumption, ...]:
        """Let answers follow the rules that the person changed by an act, and drop those with no rule left.

        ``renewed`` names the rules that were said anew, ``turned`` those that another answer changed, and on
        which answers rest as they are then. ``before`` are the questions whose answers had lost rules before
        the act. Where the policy still raises the question, it judges the answer. The answers that went are
        returned.
        """
        session, every = self._session, {*renewed, *turned}
        lost = {
            name: rules
            for name, rules in self.lost(()).items()
            if name not in before and all(one.name in every for one in rules)
        }
        if not lost:
            return ()
        raised = {one.question.id: one for one in self.asked(self._request.draft().requirements)}
        after: dict[str, Assumption | None] = {}
        for one in session.assumptions:
            rules, asked = lost.get(one.question, ()), raised.get(one.question)
            if rules and asked is None:
                after[one.question] = self._followed(one, rules, turned)
            elif rules and asked is not None and one.value == (asked.question.default or "meant"):
                after[one.question] = self._about(one, session.written, asked.about)
            else:
                after[one.question] = one
        dropped = tuple(one for one in session.assumptions if after[one.question] is None)
        session.set_assumptions(one for one in after.values() if one is not None)
        return dropped

    def _followed(
        self, assumption: Assumption, lost: Sequence[Lost], turned: Collection[str]
    ) -> Assumption | None:
        """An answer after an act that changed the rules which it has lost; None where it is about no other.

        Where a rule is gone and another stands that the answer wrote, it stays as it is, not in force.
        """
        now = self._about(assumption, self._session.written, turned).rests_on
        as_turned = {rule_name(stored_rule(text)): text for text in now}
        gone = {one.name for one in lost} - as_turned.keys()
        wrote = {one.partition(" ")[0] for one in assumption.wrote}
        if any(one.is_back for one in lost) or (wrote and gone >= wrote):
            return None
        if gone and wrote:
            return assumption
        rests_on = [(rule_name(stored_rule(text)), text) for text in assumption.rests_on]
        left = tuple(as_turned.get(name, text) for name, text in rests_on if name not in gone)
        return replace(assumption, rests_on=left) if left else None

    def retract(self, assumption: Assumption) -> SessionChange:
        """Take an answer back: the rules, clauses and cases that it wrote go, and what it replaced is back.

        A rule of the answer that was changed since stays, and is told, as are clauses that do not hold then.
        """
        from workbench.app.effect import refuted_by
        from workbench.app.said_cases import set_cases_of, without_cases_of

        session, terms = self._session, self._policy.terms()
        before, cases = session.written, session.cases
        text, rules = without_answer(language_of(before, session.agent), assumption)
        held = still_held(assumption, before)
        left = tuple(one for one in session.assumptions if one.question != assumption.question)
        lost, dropped = {assumption.question, *self.lost(())}, tuple[Assumption, ...]()
        with session.transaction(f"Retract the answer to {assumption.question}"):
            session.set_assumptions(left)
            if text != before:
                without_cases_of(session, terms, held)
                session.set_policy(text)
                set_cases_of(session, self._policy, self._request.draft().requirements, (), rules)
                dropped = self.follow((), lost, changed_rules(before, session.written))
        found = refuted_by(self._policy, before, session.written)
        return SessionChange(
            session.written != before,
            session.cases != cases,
            contradictions=found,
            left=changed_since(assumption, before),
            dropped=dropped,
        )

    def planned(self, question: Question, value: str) -> tuple[str, AgentSpec | None]:
        """The policy file after an answer, and the agent if it changes that, too; nothing is stored."""
        asked = next(
            (one for one in self.asked(self._request.draft().requirements) if one.question.id == question.id),
            None,
        )
        effect = None if asked is None else self._effect(asked, value)
        before = self._session.written
        if effect is None:
            return before, None
        language = language_of(before, effect.agent or self._session.agent)
        is_open = language.policy.default_allow
        return with_effect(language, before, effect, open_default=is_open)[0], effect.agent

    def _effect(self, asked: Asked, value: str) -> Effect | None:
        return asked.effects.get(value) or self._listed(asked, value)

    def _listed(self, asked: Asked, value: str) -> Effect | None:
        """The effect of an answer that lists the tools which are allowed; None for what changes nothing."""
        from workbench.clarify.written import Effect

        if any(option.value == value for option in asked.question.options):
            return None
        tools = next((effect.open_tools for effect in asked.effects.values() if effect.open_tools), ())
        if not tools:
            raise WorkbenchError(
                f"{value} is no answer to {asked.question.id}, or none any more; 'workbench ask' lists them."
            )
        named = [part for part in value.replace(",", " ").split() if part]
        if strange := [name for name in named if name not in tools]:
            raise WorkbenchError(f"{strange[0]} is none of {', '.join(tools)}; name those that are allowed.")
        return Effect(open_tools=tuple(named), closed_tools=tuple(one for one in tools if one not in named))


class _Asking:
    """A policy as the key of a cache: its language and terms, which are made once for a text.

    The cases tell inputs, by which the same is found sooner.
    """

    def __init__(
        self, language: Language, agent: AgentSpec, terms: PolicyTerms, cases: Sequence[Case]
    ) -> None:
        self.language = language
        self.agent = agent
        self.terms = terms
        self.known = tuple(case.arguments for case in cases)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asking) and self.language is other.language

    def __hash__(self) -> int:
        return id(self.language)


@lru_cache(maxsize=8)
def _asked(
    key: _Asking,
    requirements: tuple[Requirement, ...],
    answered: frozenset[str],
    in_force: frozenset[str],
    logs: tuple[Path, ...],
    chosen: frozenset[tuple[str, Tree]],
) -> tuple[Asked, ...]:
    from workbench.clarify.written import asked_of

    book = _book(key, requirements, logs)
    return tuple(asked_of(replace(book, answered=answered, in_force=in_force, chosen=chosen)))


@lru_cache(maxsize=2)
def _book(key: _Asking, requirements: tuple[Requirement, ...], logs: tuple[Path, ...]) -> Book:
    """A policy as the questions about it see it, with what is found of its rules, before any answer."""
    from workbench.app.session_language import kept_of
    from workbench.clarify.written import Book
    from workbench.clarify.written.tried_calls import Trials

    kept, calls = kept_of(key.language, key.agent), _first_calls(key.agent, logs)
    trials = Trials(key.terms, key.agent, kept)
    return Book(
        key.language, key.agent, key.terms, requirements, key.known, kept=kept, calls=calls, trials=trials
    )


_MOST_LOGGED = 500


def _first_calls(agent: AgentSpec, logs: Sequence[Path]) -> Sequence[RecordedCall]:
    """The first calls of logs, which a rewriting has to leave as they are."""
    from workbench.runs.logs import read_all

    read = read_all(logs, tools=[tool.name for tool in agent.tools], enough=_MOST_LOGGED)
    return tuple(call for run in read if isinstance(run, Run) for call in run.calls)


# --- the policy with an effect ----------------------------------------------------


def with_effect(
    language: Language, source: str, effect: Effect, *, open_default: bool
) -> tuple[str, frozenset[str]]:
    """A policy with what an answer means, its clauses in step, and the names of the rules that changed."""
    text, rules = _with_said(source, effect.said, effect.dropped), set(effect.said)
    for beside, tree in effect.new:
        text, name = _with_rule(language, text, tree, _cited(source, beside))
        rules.add(name)
    clauses: list[str] = []
    text, opened = _opened(language, text, effect, clauses, open_default=open_default)
    text = in_step(language, text, source)
    present = {node.name for node in statements(text) if isinstance(node, ast.FunctionDef)}
    for own in own_clauses(language, text).values():
        if own.name in clauses and own.name not in present:
            text = f"{text.rstrip()}\n\n\n{own.text(_cited(text, own.about) or _otherwise(language, own))}"
    return with_imports(text, language.types), frozenset({*rules, *opened})


def _otherwise(language: Language, own: OwnClause) -> str:
    """What a clause says of a tool of which only prohibitions speak, whatever these are."""
    possible = language.write(("call", "ensure", ("call", "Result"), *own.tree[3:]))
    return f"{possible.removesuffix('.')}, where no rule stands against it."


def _with_said(source: str, said: Mapping[str, Tree], dropped: Sequence[str]) -> str:
    lines = source.split("\n")
    for node in reversed(statements(source)):
        if not isinstance(node, ast.FunctionDef) or node.name not in {*said, *dropped}:
            continue
        text: list[str] = []
        if node.name in said:
            message = (ast.get_docstring(node) or "").split("\n")[0]
            text = rule_text(said[node.name], node.name, message).rstrip().split("\n")
        lines[node.lineno - 1 : node.end_lineno] = text
    return "\n".join(lines).rstrip() + "\n"


def _cited(source: str, rule: str) -> str:
    """The first line of the docstring of a rule, by which it cites its sentence."""
    for node in statements(source):
        if isinstance(node, ast.FunctionDef) and node.name == rule:
            return (ast.get_docstring(node) or "").split("\n")[0]
    return ""


def _with_rule(language: Language, source: str, tree: Tree, cited: str) -> tuple[str, str]:
    from workbench.language.kept_sentence import with_sentence

    kept = with_sentence(language, tree, cited or language.write(tree), source)
    return kept.policy, kept.name


def _opened(
    language: Language, source: str, effect: Effect, clauses: list[str], *, open_default: bool
) -> tuple[str, list[str]]:
    """A policy in which calls of tools are allowed or denied where no rule speaks of them.

    ``clauses`` gets the names of the clauses that say so without a rule of their own. A permission of those
    calls alone about which a person is asked has no clause, and opens nothing else.
    """
    from workbench.language.trees import TRUE

    classes = {call.tool: name for name, call in language.types.calls.items()}
    demanded = {own.about for own in own_clauses(language, source).values()}
    permitted = {
        name: [rule for rule in rules if rule in demanded]
        for name, rules in _permitted(language, source).items()
    }
    opened: list[str] = []
    bare = [tool for tool in effect.open_tools if not permitted.get(classes[tool]) and not open_default]
    closed = effect.closed_tools
    for form, tools in (("permit", bare), ("forbid", closed)):
        if tools:
            tree: Tree = ("call", form, TRUE, *(("name", classes[tool]) for tool in tools))
            source, name = _with_rule(language, source, tree, "")
            opened.append(name)
    for tool in effect.open_tools:
        rules = permitted.get(classes[tool], ())
        if rules:
            clauses += [own.name for own in own_clauses(language, source).values() if own.about in rules]
        elif tool not in bare:
            clauses.append(f"{OTHERWISE}{classes[tool]}")
    return source, opened


def _permitting(language: Language, source: str, tools: Iterable[str]) -> tuple[str, ...]:
    """The rules of a policy that permit calls of some tools."""
    classes = {call.tool: name for name, call in language.types.calls.items()}
    permitted = _permitted(language, source)
    return tuple(rule for tool in tools for rule in permitted.get(classes[tool], ()))


def _permitted(language: Language, source: str) -> Mapping[str, Iterable[str]]:
    """The rules that permit calls of each class."""
    found: dict[str, list[str]] = {}
    for node in statements(source):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("permit_"):
            annotation = node.args.args[0].annotation
            names = [] if annotation is None else ast.unparse(annotation).split(" | ")
            for name in language.types.calls if names == ["Call"] else names:
                found.setdefault(name, []).append(node.name)
    return found
