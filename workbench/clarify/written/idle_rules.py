"""Rules that never hold, decide what others do, ask in vain or nobody, or speak of calls that never run."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from workbench.clarify.written.asked import (
    MEANT,
    NEVER_HOLDS,
    WITHOUT_EFFECT,
    Asked,
    Effect,
    TriedCall,
    identity,
)
from workbench.clarify.written.attacked import Attacked, attacked_about, attacked_by
from workbench.clarify.written.book import Book, SaidRule, doubt_about, places
from workbench.clarify.written.tried_calls import TRIED, said_of_runs, terms_beside, written
from workbench.engines.smt.preview import deciding_beside, satisfiable_beside
from workbench.language.trees import CALL, RUN, TRUE, Tree, canonical, is_tree, joined, negated
from workbench.language.words import listed
from workbench.model import TOOL_ARGUMENT
from workbench.policy.rule_names import FORBID, PERMIT
from workbench.policy.terms import And, Compare, Comparison, Constant, Rule, Term, Variable
from workbench.question_wording import question_about

DROP = "drop"


type _Idle = tuple[str, str, tuple[str, ...]]
"""A rule that decides nothing: its name, the kind of the question, and the rules that decide its calls."""


def idle_rules(book: Book) -> Iterator[Asked]:
    """Yield a question for each rule that decides nothing."""
    rules, idle = {rule.name: rule for rule in book.rules}, set[str]()
    for name, kind, others in _Search(book).found():
        idle.add(name)
        quotes = [f"“{one.quote or book.sentence(one.tree)}”" for one in map(rules.__getitem__, others)]
        covered = listed([*dict.fromkeys(quotes)], "and") if quotes else ""
        yield _asked(book, rules[name], NEVER_HOLDS if kind == NEVER_HOLDS else WITHOUT_EFFECT, covered)
    for rule in book.rules:
        yield from _of_denied_calls(book, rule)
        if rule.name not in idle and _asks_in_vain(book, rule):
            yield _asked_in_vain(book, rule)
        elif rule.form == "ask":
            yield from _asked_of_nobody(book, rule)


class _Search:
    """The search for rules that decide nothing."""

    def __init__(self, book: Book) -> None:
        self._book = book
        assumed = [clause.term for clause in book.terms.assumed]
        self._depends_on = f"{book.facts_and_agent}\n{assumed}"
        self._said = {rule.name: repr((rule.name, rule.tree)) for rule in book.rules}

    def found(self) -> Iterator[_Idle]:
        rules = self._book.rules
        classes = {rule.name: frozenset(rule.classes) for rule in rules}
        for rule in rules:
            if self._stops_a_call(rule):
                continue
            others = [
                one
                for one in rules
                if one.name != rule.name
                and not classes[one.name].isdisjoint(classes[rule.name])
                and (one.form == rule.form or (one.form == "forbid" and rule.form == "ask"))
            ]
            kind, covering = self._kept(rule, others)
            if kind:
                yield rule.name, kind, tuple(covering)

    def _kept(self, rule: SaidRule, others: Sequence[SaidRule]) -> tuple[str, Sequence[str]]:
        """Why a rule decides nothing, which is searched once for what it and the others say."""
        kept = self._book.kept
        if kept is not None:
            said = (self._said[one.name] for one in (rule, *others))
            kept = replace(kept, key="\n".join(("idle", self._depends_on, *said)))
            if (stored := kept.get()) is not None:
                kind, covering = json.loads(stored)
                return kind, covering
        self._decided = True
        found = self._searched(rule, others)
        if kept is not None and self._decided:
            kept.put(json.dumps(found))
        return found

    def _searched(self, rule: SaidRule, others: Sequence[SaidRule]) -> tuple[str, Sequence[str]]:
        """Why a rule decides nothing, and the rules that decide its calls; nothing if it does decide."""
        book = self._book
        if book.decides_alone(rule.rule):
            return "", ()
        if self._known(book.holds(rule.rule.body)) is False:
            return NEVER_HOLDS, ()
        if not others:
            return "", ()
        if self._known(satisfiable_beside(book.terms, rule.rule.body, _bodies(others))) is False:
            return WITHOUT_EFFECT, self._covering(rule, others)
        return "", ()

    def _stops_a_call(self, rule: SaidRule) -> bool:
        """Whether a call is known which this prohibition alone stops: then it decides something."""
        return any(
            one.stopped is not None and one.trials.stops_alone(rule.rule, one.stopped)
            for one in (attacked_by(self._book, rule) if rule.form != "permit" else ())
        )

    def _known(self, holds: bool | None) -> bool | None:
        self._decided = self._decided and holds is not None
        return holds

    def _covering(self, rule: SaidRule, others: Sequence[SaidRule]) -> tuple[str, ...]:
        """The rules that decide every call of a rule; where that is not known, all that hold on one."""
        book = self._book
        places = deciding_beside(book.terms, rule.rule.body, _bodies(others))
        if places:
            return tuple(others[place].name for place in places)
        self._decided = False
        return tuple(one.name for one in others if book.holds(And((rule.rule.body, one.rule.body))))


def _bodies(rules: Sequence[SaidRule]) -> list[Term]:
    return [one.rule.body for one in rules]


def _asked(book: Book, rule: SaidRule, kind: str, covered: str) -> Asked:
    doubt = doubt_about(
        [rule],
        kind,
        identity(kind, rule.name, canonical(rule.tree), covered),
        (DROP, MEANT),
        default=MEANT,
        facts={"rule": rule.name, "says": book.says(rule), "covered": covered},
    )
    return Asked(question_about(doubt), {DROP: Effect(dropped=(rule.name,))}, (rule.name,))


# --- rules that ask a person about calls that no rule permits


def _asks_in_vain(book: Book, rule: SaidRule) -> bool:
    """Whether a rule asks a person about calls of which each is denied, as no rule permits it."""
    if rule.form != "ask" or book.language.policy.default_allow:
        return False
    permits = [one.body for one in book.terms.rules if one.name.startswith(PERMIT)]
    return all(book.holds(And((rule.rule.body, one))) is False for one in permits)


def _asked_in_vain(book: Book, rule: SaidRule) -> Asked:
    permission: Tree = ("call", "permit", *rule.tree[2:])
    effects = {DROP: Effect(dropped=(rule.name,))}
    if meaning := book.sentence(permission):
        effects = {"permitted": Effect(new=((rule.name, permission),), about=(rule.name,)), **effects}
    doubt = doubt_about(
        [rule],
        "asked-in-vain",
        identity(WITHOUT_EFFECT, rule.name, canonical(rule.tree), "asked-in-vain"),
        (*effects, MEANT),
        default=MEANT,
        facts={"rule": rule.name, "says": book.says(rule)},
        value_facts={"permitted": {"meaning": meaning}},
    )
    return Asked(question_about(doubt), effects, (rule.name,))


# --- rules that ask a person about calls on which another rule cannot be evaluated


def _asked_of_nobody(book: Book, rule: SaidRule) -> Iterator[Asked]:
    """Yield a question for a rule that asks about calls of which none can be evaluated by another rule."""
    for attacked in attacked_by(book, rule):
        asked = [one for one in (*attacked.logged, *attacked.made) if attacked.stops(one) and _is_usual(one)]
        open_ = [_open_on(attacked, one) for one in asked]
        if not all(open_):  # of none, too
            continue
        for call, others in sorted(zip(asked, open_, strict=True), key=lambda one: -len(str(one[0]))):
            said = {one.name: _but_approved(rule, one) for one in others}
            names = [name for name, tree in said.items() if book.sentence(tree)]
            if len(names) == len(others):
                yield _of_nobody(book, rule, call, others, Effect(said))
                return


def _is_usual(call: TriedCall) -> bool:
    """Whether a call does what it is for, and does not only tell of a program."""
    return not any(str(value).endswith(" --version") for value in call.arguments.values())


def _open_on(attacked: Attacked, call: TriedCall) -> Sequence[SaidRule]:
    """The prohibitions that cannot be evaluated on a call; none where one denies it, or is of other tools."""
    others = [
        one
        for one in attacked.book.rules_by_class.get(attacked.call_type.name, ())
        if one.form == "forbid" and attacked.trials.truth(one.rule, (call,)) is not False
    ]
    is_known = any(attacked.trials.truth(one.rule, (call,)) is True for one in others)
    is_alike = all({*one.classes} == {*attacked.rule.classes} for one in others)
    return others if is_alike and not is_known and len(others) <= _MOST_OPEN else ()


_MOST_OPEN = 2
"""The most prohibitions that an approval may override: a call of which more is unknown says nothing."""


def _but_approved(rule: SaidRule, other: SaidRule) -> Tree:
    """What a prohibition says of the calls about which another rule does not ask."""
    return other.with_condition(joined("and", [negated(rule.condition), other.condition]))


def _of_nobody(
    book: Book, rule: SaidRule, call: TriedCall, others: Sequence[SaidRule], effect: Effect
) -> Asked:
    assert book.trials is not None
    doubt = doubt_about(
        [rule, *others],
        "asked-of-nobody",
        identity(WITHOUT_EFFECT, rule.name, canonical(rule.tree), *(one.name for one in others)),
        ("approved", MEANT),
        default=MEANT,
        facts={
            "says": rule.quote or book.says(rule),
            "call": str(call),
            "others": listed([f"“{one.quote or book.says(one)}”" for one in others], "and"),
            "why": book.trials.why_open(others[0].rule, call),
        },
        value_facts={"approved": {"meaning": " ".join(map(book.sentence, effect.said.values()))}},
    )
    return Asked(question_about(doubt), {"approved": effect}, (rule.name, *effect.said))


# --- rules about earlier calls that another rule never lets run


def _of_denied_calls(book: Book, rule: SaidRule) -> Iterator[Asked]:
    """Yield a question for a rule about earlier calls of which each is denied, so that there is none."""
    for earlier in _earlier_calls(book, rule):
        names = () if _may_run(book, rule, earlier) else _denying(book, earlier)
        denying = [one for one in book.rules if one.name in names and one.name != rule.name]
        if not denying or len(denying) < len(names):
            continue
        dropped = {DROP: (rule.name,), "others": tuple(one.name for one in denying)}
        doubt = doubt_about(
            [rule],
            "rule-of-denied-calls",
            identity(WITHOUT_EFFECT, rule.name, canonical(rule.tree), *names),
            (*dropped, MEANT),
            default=MEANT,
            facts={
                "rule": rule.name,
                "says": book.says(rule),
                "calls": book.tool_of(str(earlier[3][1])),
                "denying": listed([f"“{book.says(one)}”" for one in denying], "and"),
            },
        )
        effects = {value: Effect(dropped=gone) for value, gone in dropped.items()}
        yield Asked(question_about(doubt), effects, (rule.name, *dropped["others"]))
        return


def _earlier_calls(book: Book, rule: SaidRule) -> Iterator[Tree]:
    """Yield of each kind of earlier calls in a rule a prohibition of them, by their parameters."""
    attacked = attacked_by(book, rule)
    for _, part in places(attacked[0].unfolded.condition) if attacked else ():
        match part:
            case ("call", "any", ("gen", call, asked, ("method", _, "earlier", *names), where)):
                said = joined("and", [where, asked])
            case ("gen", call, _, ("method", _, "earlier", *names), said):
                pass
            case _:
                continue
        atoms = [one for one in (said[1:] if said[0] == "and" else (said,)) if is_tree(one)]
        for _, name in names:
            of = book.language.types.calls.get(str(name))
            own = {one.name for one in of.fields} if of is not None else set[str]()
            kept = [_with_call(one, call) for one in atoms if _is_of_parameters(one, call, own)]
            if of is not None:
                yield ("call", FORBID.rstrip("_"), joined("and", kept) if kept else TRUE, ("name", name))


def _with_call(tree: Tree, earlier: Tree) -> Tree:
    """What is said of an earlier call, of a call that is decided."""
    if tree == earlier:
        return CALL
    return tuple(_with_call(part, earlier) if is_tree(part) else part for part in tree)


def _is_of_parameters(atom: Tree, call: Tree, own: Collection[str]) -> bool:
    """Whether a condition on an earlier call reads its parameters alone, and not the call that is decided."""
    parts = [part for _, part in places(atom)]
    read = {str(part[2]) for part in parts if part[0] == "attr" and part[1] == call}
    return bool(read) and read <= {*own} and CALL not in parts and RUN not in parts


def _may_run(book: Book, rule: SaidRule, earlier: Tree) -> bool:
    """Whether one of some earlier calls is known to be allowed, of those that are made up for a rule."""
    name = str(earlier[3][1])
    made = [call for one in attacked_by(book, rule) if one.call_type.name == name for call in one.made]
    known = [one.allowed for one in attacked_about(book, name) if one.allowed is not None][:1]
    calls = [(call,) for call in (*known, *made) if book.trials is not None and book.trials.allows((call,))]
    said = said_of_runs(book, Effect(new=((rule.name, earlier),)), calls) if calls else ()
    return any(not lets_through for ((lets_through, _),) in said)


def _denying(book: Book, earlier: Tree) -> Sequence[str]:
    """The prohibitions that deny every one of some calls; none if one may run, or that is not known."""
    tool = book.tool_of(str(earlier[3][1]))
    about = [rule for rule in book.terms.rules if rule.forbids and not rule.asks]
    about = [one for one in about if tool in (book.terms.file.part(one).tools or (tool,))]
    if not about:
        return ()
    kept = book.kept
    if kept is not None:
        parts = (*book.terms.assumed, *about)
        said = (written(book.terms, one) for one in parts)
        kept = replace(kept, key="\n".join(("denied", book.facts_and_agent, repr(earlier), *said)))
        if (stored := kept.get()) is not None:
            return json.loads(stored)
    found = _searched_denying(book, earlier, tool, about)
    if kept is not None and found is not None:
        kept.put(json.dumps(found))
    return found or ()


def _searched_denying(book: Book, earlier: Tree, tool: str, about: Sequence[Rule]) -> Sequence[str] | None:
    """The rules of some that deny every one of some calls of a tool; None if that is not known."""
    name = f"{TRIED}0"
    terms = terms_beside(book, name, earlier, tool)
    if terms is None:
        return None
    bodies = {rule.name: rule.body for rule in terms.rules}
    of_tool = next((one for one in terms.arguments if one.name == TOOL_ARGUMENT), None)
    is_tool = (
        [Compare(Comparison.EQ, Variable(of_tool.name, of_tool.type), Constant(tool))] if of_tool else []
    )
    denying = deciding_beside(terms, And((*is_tool, bodies[name])), [bodies[one.name] for one in about])
    return None if denying is None else [about[place].name for place in denying]
