"""The answers that are offered: none writes a rule that holds on no call, or on every one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.clarify.written.asked import MEANT, WITNESS, Asked, Calls, Effect
from workbench.clarify.written.book import Book, places, same
from workbench.clarify.written.holes import shape
from workbench.clarify.written.tried_calls import TRIED, changed_rules
from workbench.engines.smt.preview import satisfiable
from workbench.language.own_clauses import OF_RULE, OTHERWISE
from workbench.language.trees import Tree
from workbench.policy.terms import And, Clause, ConstantSet, Member, Not, PolicyTerms, Term, Variable
from workbench.question_wording import phrase

_COMPARING = frozenset(("==", "!=", "<", "<=", ">", ">="))


def offered(book: Book, asked: Asked) -> Asked | None:
    """A question with the answers under which each rule still tells calls apart.

    None if nothing is left to choose. A call that is hardly wanted is shown without an answer that stops it,
    also where a clause that a person wrote demands that it is allowed: such an answer could not be stored.
    """
    question = asked.question
    kept = {
        value: effect for value, effect in asked.effects.items() if effect.agent or _tells_apart(book, effect)
    }
    if kept and question.kind == WITNESS and (clause := _demanding(book, asked.calls)) is not None:
        names = " and ".join(clause.requirements) or f"line {clause.line}"
        kept, question = (
            {},
            replace(question, text=question.text + phrase("witness", "demanded", clause=names)),
        )
    if len(kept) == len(asked.effects):
        return asked
    options = tuple(one for one in question.options if one.value in kept or one.value not in asked.effects)
    is_choice = any(one.value not in (MEANT, question.default) for one in options)
    if not is_choice and question.kind != WITNESS and question.id not in book.answered:
        return None
    return replace(asked, question=replace(question, options=options), effects=kept)


def _demanding(book: Book, calls: Calls) -> Clause | None:
    """A clause that a person wrote which does not hold where the call is denied that an answer stops.

    That is the last of a run, and of calls of two tools the first, which makes way for the other.
    """
    own = {one.line for one in book.language.policy.clauses if one.function.startswith((OF_RULE, OTHERWISE))}
    written = [clause for clause in book.terms.clauses if clause.line not in own]
    if not written or book.trials is None or not calls:
        return None
    decided = [number for number, one in enumerate(calls) if not one.result]
    number = decided[-1 if calls[decided[0]].tool == calls[-1].tool else 0]
    trials = book.trials
    return next((clause for clause in written if trials.demands(clause, calls, number)), None)


def _tells_apart(book: Book, effect: Effect) -> bool:
    """Whether each rule that an answer writes holds on some call, and one that it changes not on every call.

    Of rules of one form the first tells it. What the solver does not know counts as so.
    """
    said = {shape(tree): (name, tree) for name, tree in reversed([*effect.said.items()])}
    new = {shape(tree): (name, tree) for name, tree in reversed(effect.new)}
    effect = Effect(dict(said.values()), new=tuple(new.values()))
    trees = [*effect.said.values(), *(tree for _, tree in effect.new)]
    if any(_compares_with_itself(tree[2]) for tree in trees):
        return False
    if not trees:
        return True
    kept = book.kept
    if kept is not None:
        written = repr((book.facts_and_agent, effect.said, effect.new))
        kept = replace(kept, key=f"offered\n{written}")
        if (stored := kept.get()) is not None:
            return bool(json.loads(stored))
    changed = changed_rules(book, effect)
    found = changed is not None and all(_holds_on_some(book, changed.trials.terms, effect))
    if kept is not None:
        kept.put(json.dumps(found))
    return found


def _tools(book: Book, trees: Sequence[Tree]) -> frozenset[str]:
    return frozenset(book.tool_of(str(one[1])) for tree in trees for one in tree[3:])


def _compares_with_itself(condition: Tree) -> bool:
    """Whether a part of a condition compares a thing with itself, also one that is an argument as a whole."""
    return any(
        len(part) == 3 and part[0] in _COMPARING and same(part[1], part[2]) for _, part in places(condition)
    )


def _holds_on_some(book: Book, terms: PolicyTerms, effect: Effect) -> Iterator[bool]:
    """Yield of each rule that was written whether it holds on a call, and not on every one of its tools."""
    tool = next((one for one in terms.arguments if one.name == "tool"), None)
    for rule in terms.rules:
        tree = effect.said.get(rule.name)
        if tree is not None or rule.name.startswith(TRIED):
            yield satisfiable(terms, rule.body) is not False
        if tree is not None:
            parts: list[Term] = [Not(rule.body)]
            if tool is not None and "" not in (tools := _tools(book, [tree])):
                of_call = Variable(tool.name, tool.type)
                parts.append(Member(of_call, ConstantSet(tuple(sorted(tools)))))
            yield satisfiable(terms, And(tuple(parts))) is not False
