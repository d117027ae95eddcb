"""What a policy of calls comes to for the engines: its text over plain arguments, and these arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.checked import CallPolicy, CallRule
from workbench.dialect.core_text import core_text
from workbench.dialect.lowering import Lowered, lower
from workbench.dialect.text_tests import text_tests, undeclared_shells
from workbench.model import AgentSpec, Argument, Problem, WorkbenchError
from workbench.policy.check import check, check_condition
from workbench.policy.problems import PolicyError
from workbench.policy.term_text import render_term
from workbench.policy.terms import Clause, PolicyTerms
from workbench.policy.written import WrittenFile, WrittenPart


@dataclass(frozen=True, slots=True)
class LoweredPolicy:
    """A policy of calls that was checked: the same policy over plain arguments, as text and as terms."""

    lowered: Lowered
    text: str
    terms: PolicyTerms

    @property
    def calls(self) -> CallPolicy:
        """The policy as it was written."""
        return self.lowered.policy

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments of the lowered policy, each with its expression over call and run."""
        return self.lowered.arguments


def lowered_policy(source: str, spec: AgentSpec, path: str = "") -> LoweredPolicy:
    """The policy over plain arguments that a policy of calls comes to, for this agent.

    ``path`` only names the file in problems. Raises ``PolicyError`` with every problem found. Only its text
    is ever executed, and it has passed the checker of the dialect as every policy has.
    """
    result = _lowered(source, _Agent(spec))
    if isinstance(result, PolicyError):
        raise PolicyError([replace(problem, path=problem.path or path) for problem in result.problems])
    return result


class _Agent:
    """What a policy of calls reads of an agent spec, as the key of a cache.

    Two are equal if they are written equally: equality of values would take ``1`` for ``True`` in a schema.
    """

    def __init__(self, spec: AgentSpec) -> None:
        self.spec = spec
        self._written = repr((spec.tools, spec.records, spec.context, spec.readings, spec.nouns, spec.units))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Agent) and self._written == other._written

    def __hash__(self) -> int:
        return hash(self._written)


@lru_cache(maxsize=8)
def _lowered(source: str, agent: _Agent) -> LoweredPolicy | PolicyError:
    """The lowered policy, or its problems without a path: who asks names the file."""
    try:
        return lowered_calls(check_calls(source, agent_types(agent.spec)))
    except PolicyError as error:
        return error
    except WorkbenchError as error:
        return PolicyError([Problem(str(error))])


def lowered_calls(policy: CallPolicy) -> LoweredPolicy:
    """The policy over plain arguments that a checked policy of calls comes to. Raises ``PolicyError``."""
    lowered = lower(policy)
    text = core_text(lowered)
    terms = check(text)
    terms = replace(terms, axioms=_axioms(lowered, terms), written=_written(terms, lowered))
    return LoweredPolicy(lowered, text, terms)


def _written(terms: PolicyTerms, lowered: Lowered) -> WrittenFile:
    """The policy of calls, with the places of rules and clauses in it."""
    parts = {
        one.rule.name: WrittenPart(one.rule.line, one.rule.end_line, tools=_tools(one.rule))
        for one in lowered.rules
    }
    conditions, promises = iter(terms.preconditions), iter(terms.clauses)
    for one in lowered.clauses:
        clause = next(conditions if one.clause.precondition else promises)
        tool = one.tool if len(one.clause.terms) > 1 else ""
        parts[clause.id] = WrittenPart(one.clause.line, one.clause.end_line, one.clause.source, tool)
    policy = lowered.policy
    return WrittenFile(
        policy.source,
        parts,
        lowered.arguments,
        text_tests(policy),
        undeclared_shells(policy),
        tuple(theorem.name for theorem in policy.theorems),
    )


def _tools(rule: CallRule) -> tuple[str, ...]:
    """The tools whose calls a rule is about; none if it is about all."""
    return tuple(one.tool for one in rule.terms if one.tool)


def _axioms(lowered: Lowered, terms: PolicyTerms) -> tuple[Clause, ...]:
    """What relates the arguments, read by the checker as every condition over them is."""
    axioms: list[Clause] = []
    for number, axiom in enumerate(lowered.axioms, 1):
        text = render_term(axiom)
        term = check_condition(text, terms.arguments)
        axioms.append(Clause(f"A{number}", term, (), "Values over one run.", text, 0, 0))
    return tuple(axioms)
