"""Calls as an agent would make them, decided by the terms of the rules.

Of a call only what a rule reads is extracted, and it is decided by one rule after another until one stops it.
"""

from __future__ import annotations

import decimal
import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import override

from workbench.clarify.written.asked import DONE, Calls, Effect, TriedCall
from workbench.clarify.written.book import Book
from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.file_imports import with_imports
from workbench.dialect.lowered_policy import lowered_calls
from workbench.dialect.written_agent import WrittenAgent
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.engines.smt.necessary_values import necessary
from workbench.files.kept_texts import KeptText
from workbench.language.python_text import rule_text
from workbench.language.trees import Tree
from workbench.model import (
    TOOL_ARGUMENT,
    AgentSpec,
    Argument,
    Extracted,
    RecordedCall,
    Verdict,
    WorkbenchError,
)
from workbench.policy.evaluate import EXACT, Scope, Valuation, truth_of
from workbench.policy.flat.traverse import free_names
from workbench.policy.narrowed_values import narrowed
from workbench.policy.operations import Known
from workbench.policy.result_cache import Recent
from workbench.policy.terms import Clause, PolicyTerms, Rule
from workbench.policy.undetermined import Undetermined
from workbench.policy.validate import Misfit, Validator, fit_of
from workbench.runs.expressions.moment import USER_TEXTS
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier

type Truth = bool | Undetermined
_NOT_READ = Undetermined(frozenset())
_found: Recent[tuple[str, str], dict[str, Truth]] = Recent(2048)
"""What rules say of runs, whatever other rules there are: by the agent and the rule, and names of runs."""
_MOST_FOUND = 20_000
_OF_CALL = re.compile(r"(call\.\w+(\.\w+)?)?")
"""A parameter of the call or a part of one, and the tool: what is soon read, and by many rules."""
TRIED = "forbid_tried_"
"""How the names of rules begin that an answer puts beside others."""


type Said = Sequence[tuple[bool, bool]]
"""What rules say of each call of a run: whether no prohibition stops it, and whether a permission holds."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Rules as an answer would have them."""

    trials: Trials
    rules: Sequence[Rule]

    def said_of(self, calls: Calls, names: Collection[str]) -> Said:
        """What the rules of these names say of a run."""
        rules = [rule for rule in self.rules if rule.name in names]
        return [self._said(rules, calls, number) for number in range(len(calls))]

    def _said(self, rules: Sequence[Rule], calls: Calls, number: int) -> tuple[bool, bool]:
        about = self.trials.rules_about(calls[number].tool).every
        truths = [(rule.forbids, self.trials.truth(rule, calls, number)) for rule in rules if rule in about]
        stops = any(forbids and truth is not False for forbids, truth in truths)
        return not stops, any(truth is True for forbids, truth in truths if not forbids)


class _Values(Scope):
    """The values of arguments at a tried call, each read when a rule first asks for it."""

    def __init__(self, trials: Trials, run: Sequence[RecordedCall], number: int, name: str) -> None:
        self._trials, self.name = trials, name
        self._call, self._earlier = run[number], Earlier(run, number)
        self.known: dict[str, Known] = {}
        self.truths: dict[str, Truth] = {}

    @cached_property
    def _reading(self) -> Callable[[Argument], Extracted | None]:
        return self._trials.extractor.reading(self._call, self._earlier)

    @override
    def having(self, name: str, value: Known) -> Scope:
        return _Within(self, {name: value})

    @override
    def __contains__(self, name: object) -> bool:
        return name in self._trials.arguments

    @override
    def __getitem__(self, name: str) -> Known:
        if name not in self.known:
            shared, key = self._trials.parameters, self._trials.shared_key(name, self._call)
            found = shared.get(key) if key else None
            if found is None:
                found = self._trials.value(name, self._reading(self._trials.arguments[name]))
                if key:
                    shared[key] = found
            self.known[name] = found
        return self.known[name]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._trials.arguments)

    @override
    def __len__(self) -> int:
        return len(self._trials.arguments)


class _Within(Scope):
    """The values of a call with those of elements in scope."""

    def __init__(self, outer: Scope, bound: Mapping[str, Known]) -> None:
        self._outer, self._bound = outer, bound

    @override
    def having(self, name: str, value: Known) -> Scope:
        return _Within(self._outer, {**self._bound, name: value})

    @override
    def __contains__(self, name: object) -> bool:
        return name in self._bound or name in self._outer

    @override
    def __getitem__(self, name: str) -> Known:
        return self._bound[name] if name in self._bound else self._outer[name]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter({**dict.fromkeys(self._bound), **dict.fromkeys(self._outer)})

    @override
    def __len__(self) -> int:
        return len({*self._bound, *self._outer})


class _RulesAbout:
    """The rules that may speak of calls of a tool, by the values of parameters that they demand."""

    def __init__(self, rules: Sequence[Rule], plain: Collection[str]) -> None:
        self.every = rules
        self._others: list[Rule] = []
        self._demanding: dict[str, dict[tuple[str, object], list[Rule]]] = {}
        for rule in rules:
            demanded = {name: values for name, values in necessary(rule.body).items() if name in plain}
            name = next(iter(demanded), None)
            if name is None:
                self._others.append(rule)
                continue
            by_value = self._demanding.setdefault(name, {})
            for value in demanded[name]:
                by_value.setdefault(value, []).append(rule)

    def may_hold(self, values: _Values) -> Iterator[Rule]:
        """Yield the rules that may hold on a call."""
        for name, rules in self._demanding.items():
            value = values[name]
            if isinstance(value, Undetermined):
                yield from (rule for every in rules.values() for rule in every)
            else:
                yield from rules.get((type(value).__name__, value), ())
        yield from self._others


@dataclass
class Trials:
    """A policy on which calls are tried, one run after another."""

    terms: PolicyTerms
    agent: AgentSpec
    kept: KeptText | None = None
    _kept_truths: dict[str, dict[str, bool | None]] = field(
        default_factory=dict[str, dict[str, "bool | None"]]
    )
    _grown: dict[str, Rule] = field(default_factory=dict[str, Rule])
    _runs: dict[str, Sequence[_Values]] = field(default_factory=dict[str, "Sequence[_Values]"])
    _of_tools: dict[str, _RulesAbout] = field(default_factory=dict[str, _RulesAbout])
    _read: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    _of_rules: dict[str, dict[str, Truth]] = field(default_factory=dict[str, dict[str, "Truth"]])
    parameters: dict[str, Known] = field(default_factory=dict[str, Known])
    """The values of parameters, each read once."""

    def __post_init__(self) -> None:
        sources = self.terms.file.arguments
        self.arguments: Mapping[str, Argument] = {one.name: one for one in sources}
        self.extractor = Extractor(sources, self.agent)
        self._types = {one.name: one.type for one in self.terms.arguments}
        self._fits = {name: fit_of(type_) for name, type_ in self._types.items()}
        self._known = Validator(self.terms.arguments).what_is_known
        texts = {one.name: "" if one.expression is None else one.expression.text for one in sources}
        self._plain = frozenset(name for name, text in texts.items() if _OF_CALL.fullmatch(text))
        self._keys = {
            (call.tool, name): field.key
            for call in agent_types(self.agent).calls.values()
            for field in call.fields
            for name, text in texts.items()
            if text == f"call.{field.name}"
        }

    @cached_property
    def compiled(self) -> CompiledPolicy:
        """The policy as it decides in a guard."""
        return compile_policy(self.terms)

    def shared_key(self, name: str, call: RecordedCall) -> str:
        """The name of what an argument is in any call with the same parameter; empty if it reads more."""
        key = "" if name == TOOL_ARGUMENT else self._keys.get((call.tool or "", name))
        given = call.arguments or {}
        return "" if key is None else repr((name, call.tool, [*given], given.get(key)))

    def value(self, name: str, extracted: Extracted | None) -> Known:
        """What is known of an argument of which something was extracted."""
        if extracted is None or extracted.missing is not None:
            between = None if extracted is None else extracted.between
            return Undetermined(frozenset({name}), self._known(name, between))
        try:
            return self._fits[name](narrowed(extracted.value, self._types[name]))
        except Misfit:
            return Undetermined(frozenset({name}))

    def _run(self, calls: Calls) -> Sequence[_Values]:
        key = repr(calls)
        if key not in self._runs:
            run = _recorded(calls)
            name = (
                "" if self.kept is None else hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:16]
            )
            self._runs[key] = [_Values(self, run, at, f"{name}-{at}") for at in range(len(run))]
        return self._runs[key]

    def truth(self, rule: Rule, calls: Calls, number: int = -1) -> Truth:
        """Whether a rule holds on a call of a run in which all calls succeeded, by default the last.

        It does not depend on other rules, and is kept by what the rule says.
        """
        values = self._run(calls)[number]
        if self.kept is None or rule.name in values.truths:
            return self._truth(rule, values)
        known = self._truths_of(rule)
        if values.name in known:
            kept = known[values.name]
            values.truths[rule.name] = _NOT_READ if kept is None else kept
        else:
            truth = self._truth(rule, values)
            known[values.name] = truth if isinstance(truth, bool) else None
            self._grown[rule.name] = rule
        return values.truths[rule.name]

    def _truths_of(self, rule: Rule) -> dict[str, bool | None]:
        if rule.name not in self._kept_truths:
            kept = self._kept(rule)
            stored = None if kept is None else kept.get()
            self._kept_truths[rule.name] = {} if stored is None else json.loads(stored)
        return self._kept_truths[rule.name]

    def _kept(self, rule: Rule) -> KeptText | None:
        if self.kept is None or self.agent.readings:  # what a model reads is no part of the policy
            return None
        return replace(self.kept, key="\n".join(("truths", self._read_of_agent, written(self.terms, rule))))

    def keep(self) -> None:
        """Keep what was found of rules on runs."""
        for rule in self._grown.values():
            if (kept := self._kept(rule)) is not None:
                kept.put(json.dumps(self._kept_truths[rule.name]))
        self._grown.clear()

    def _truth(self, rule: Rule, values: _Values) -> Truth:
        truth = values.truths.get(rule.name)
        if truth is None:
            found = self._found_of(rule)
            truth = found.get(values.name)
            if truth is None:
                truth = found[values.name] = self._evaluated(rule, values)
            values.truths[rule.name] = truth
        return truth

    def _found_of(self, rule: Rule) -> dict[str, Truth]:
        """What this process found of a rule on runs, also beside other rules; without a model's readings."""
        if self.kept is None:  # runs have no names
            return {}
        if rule.name not in self._of_rules:
            key = self._read_of_agent, written(self.terms, rule)
            found = _found.get(key)
            if found is None or len(found) > _MOST_FOUND:
                found = dict[str, Truth]()
                _found.put(key, found)
            self._of_rules[rule.name] = found
        return self._of_rules[rule.name]

    @cached_property
    def _read_of_agent(self) -> str:
        return WrittenAgent(self.agent).as_read

    def _evaluated(self, rule: Rule, values: _Values) -> Truth:
        names = [one.name for one in rule.parameters]
        try:
            if all(name in values.known or name in self._plain for name in names):
                held = [values[name] for name in names]
                if not any(isinstance(one, Undetermined) for one in held):
                    return self.compiled.tests[rule.name](*held)
            with decimal.localcontext(EXACT):
                return truth_of(rule.body, Valuation(self.terms, values, None))
        except Exception:  # no error inside a rule may allow
            return _NOT_READ

    def rules_about(self, tool: str) -> _RulesAbout:
        """The rules that may speak of calls of a tool."""
        if tool not in self._of_tools:
            parts = ((rule, self.terms.file.part(rule).tools) for rule in self.terms.rules)
            rules = [rule for rule, tools in parts if not tools or tool in tools]
            self._of_tools[tool] = _RulesAbout(rules, self._plain - {TOOL_ARGUMENT})
        return self._of_tools[tool]

    def read_of(self, tool: str) -> Sequence[str]:
        """The expressions that the rules read of calls of a tool and of their run."""
        if tool not in self._read:
            words = self.terms.file.words
            names = (one.name for one in self.terms.arguments)
            about = (name for name in names if tool in words.tools_of(name) or not words.tools_of(name))
            self._read[tool] = [words.of(name) for name in about]
        return self._read[tool]

    def allows(self, calls: Calls, gone: Collection[str] = (), said: Said = ()) -> bool:
        """Whether each call of a run is allowed, perhaps with what changed rules say in the place of some."""
        run = self._run(calls)
        return all(
            self._allows(calls[number].tool, values, gone, said[number] if said else (True, False))
            for number, values in enumerate(run)
            if not calls[number].result  # the calls before tell what is known; the last is decided
        )

    def _allows(self, tool: str, values: _Values, gone: Collection[str], said: tuple[bool, bool]) -> bool:
        lets_through, permits = said
        if not lets_through:
            return False
        for rule in self.rules_about(tool).may_hold(values):
            if rule.name in gone:
                continue
            truth = self._truth(rule, values)
            if rule.forbids and truth is not False:
                return False
            permits = permits or (not rule.forbids and truth is True)
        if self.terms.preconditions and not self._is_input(values):
            return False
        return self.terms.default_allow or permits

    def _is_input(self, values: _Values) -> bool:
        world = Valuation(self.terms, values, None)
        with decimal.localcontext(EXACT):
            return all(truth_of(one.term, world) is True for one in self.terms.preconditions)

    def in_the_way(self, calls: Calls, number: int) -> Sequence[str]:
        """The rules that keep a call from being allowed: prohibitions, or permissions that do not hold."""
        values = self._run(calls)[number]
        if self._allows(calls[number].tool, values, (), (True, False)):
            return ()
        about = [*self.rules_about(calls[number].tool).may_hold(values)]
        stopping = [one.name for one in about if one.forbids and self._truth(one, values) is not False]
        every = self.rules_about(calls[number].tool).every
        return stopping or [one.name for one in every if not one.forbids]

    def demands(self, clause: Clause, calls: Calls, number: int = -1) -> bool:
        """Whether a clause of the contract does not hold where a call of a run is denied."""
        values = self._run(calls)[number]
        with decimal.localcontext(EXACT):
            return truth_of(clause.term, Valuation(self.terms, values, result=False)) is False

    def stops(self, rule: Rule, call: TriedCall) -> bool:
        """Whether a rule stops a call: a prohibition that holds on it, or a permission that does not."""
        truth = self.truth(rule, (call,))
        return truth is rule.forbids and (rule.forbids or not self.allows((call,)))

    def stops_alone(self, rule: Rule, call: TriedCall) -> bool:
        """Whether a prohibition holds on a call, and no other prohibition may."""
        values = self._run((call,))[0]
        others = (one for one in self.rules_about(call.tool).may_hold(values) if one.forbids)
        return self._truth(rule, values) is True and all(
            self._truth(one, values) is False for one in others if one.name != rule.name
        )

    def why_open(self, rule: Rule, call: TriedCall) -> str:
        """Why a rule cannot be evaluated on a call; empty where it can."""
        (recorded,) = _recorded((call,))
        read = self.extractor.reading(recorded, Earlier((recorded,), 0))
        found = (read(self.arguments[one.name]) for one in rule.parameters if one.name in self.arguments)
        return "; ".join(one.missing for one in found if one is not None and one.missing)

    def confirms(self, calls: Calls) -> bool:
        """Whether the policy as it decides in a guard allows each call of a run."""
        run = _recorded(calls)
        decided = (
            decision_on(self.compiled, self.extractor.extract(one, Earlier(run, at)))
            for at, one in enumerate(run)
            if not calls[at].result
        )
        return all(one.verdict is Verdict.ALLOW for one in decided)


def _recorded(calls: Calls) -> Sequence[RecordedCall]:
    return [
        one.recorded
        or RecordedCall(
            "tried",
            at,
            one.tool,
            one.arguments,
            texts=dict.fromkeys(USER_TEXTS.values(), one.said) if one.said else {},
            time=one.time or None,
            result=DONE,
            known_from=at + 1,
        )
        for at, one in enumerate(calls)
    ]


def terms_beside(book: Book, name: str, tree: Tree, tool: str) -> PolicyTerms | None:
    """What a policy says of calls of a tool, with another rule, which has a name of its own.

    None if that is no policy.
    """
    types = book.language.types
    text = f"{book.of_tool(tool)}\n\n\n{rule_text(tree, name, 'Tried.')}"
    try:
        return lowered_calls(check_calls(with_imports(text, types), types)).terms
    except WorkbenchError:
        return None


def written(terms: PolicyTerms, part: Rule | Clause) -> str:
    """What a rule or a clause is, with the expressions of the arguments and the tables that it reads."""
    term = part.body if isinstance(part, Rule) else part.term
    read = free_names(term)
    expressions = [one.expression for one in terms.sources if one.name in read]
    text = repr((part.name if isinstance(part, Rule) else part.id, term, expressions))
    tables = [table for name, table in terms.tables.items() if f"table={name!r}" in text]
    return f"{text}{tables!r}" if tables else text


def kept_said(book: Book, effect: Effect, runs: Sequence[Calls]) -> KeptText | None:
    """What the rules of an answer say of runs, kept by their text, the facts and the runs alone."""
    if book.kept is None:
        return None
    parts = (book.facts_and_agent, repr(effect.said), repr(effect.new), repr(runs))
    return replace(book.kept, key="\n".join(("said", *parts)))


def said_of_runs(book: Book, effect: Effect, runs: Sequence[Calls]) -> Sequence[Said]:
    """What the rules of an answer say of runs, found once for a text; nothing if they are no policy."""
    kept = kept_said(book, effect, runs)
    if kept is not None and (stored := kept.get()) is not None:
        return json.loads(stored)
    changed = changed_rules(book, effect)
    names = {*effect.said, *(f"{TRIED}{number}" for number in range(len(effect.new)))}
    found = [] if changed is None else [[*changed.said_of(calls, names)] for calls in runs]
    if kept is not None:
        kept.put(json.dumps(found))
    return found


def changed_rules(book: Book, effect: Effect) -> Changed | None:
    """What an answer says instead of rules, and beside them; None if that is no policy."""
    types, parts = book.language.types, [book.facts]
    parts += [rule_text(tree, name, "Tried.") for name, tree in effect.said.items()]
    names = [f"{TRIED}{number}" for number in range(len(effect.new))]
    parts += [rule_text(tree, name, "Tried.") for name, (_, tree) in zip(names, effect.new, strict=True)]
    text = "\n\n\n".join(parts) + "\n"
    try:
        terms = lowered_calls(check_calls(with_imports(text, types), types)).terms
    except WorkbenchError:
        return None
    rules = [rule for rule in terms.rules if rule.name in {*effect.said, *names}]
    return Changed(Trials(terms, book.agent), rules)
