"""Search for concrete arguments that violate a clause, confirmed by running the policy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations, islice, product

from workbench.engines.compiled.compile import CompiledPolicy, only_what_matters
from workbench.engines.nagini.lowering.lower import Lowered
from workbench.engines.smt.vacuity import Vacuity
from workbench.model import Arguments, Counterexample, Verdict, WorkbenchError
from workbench.policy.terms import Clause, PolicyTerms

_VALUE = re.compile(r"(?:^|[\s,])([A-Za-z_]\w*) -> ([^,\s]+)")
MOST_TRIES = 20_000
_VACUITY_MS = 5_000  # a clause not known to be non-vacuous is not proved: a busy machine must not decide that


@dataclass(frozen=True, slots=True)
class CounterexampleSearch:
    """The result of a search for a counterexample; ``excluded`` if the preview finds that there is none."""

    example: Counterexample | None
    excluded: bool = False


def parse_model(text: str) -> dict[str, int | bool]:
    """The values of a model from Nagini, by name, without ``?`` and references."""
    value_by_name: dict[str, int | bool] = {}
    for name, value in _VALUE.findall(text.split("Current store")[0]):
        if value in {"True", "true"}:
            value_by_name[name] = True
        elif value in {"False", "false"}:
            value_by_name[name] = False
        elif re.fullmatch(r"-?\d+", value):
            value_by_name[name] = int(value)
        elif re.fullmatch(r"\(-\d+\)", value):
            value_by_name[name] = int(value[1:-1])
    return value_by_name


def confirm(policy: CompiledPolicy, clause: str, arguments: Arguments) -> Counterexample | None:
    """The arguments as a counterexample if they violate the clause when the policy is run; else None."""
    try:
        if policy.clause_holds(clause, arguments):
            return None
        broken = next(
            contract_clause for contract_clause in policy.terms.clauses if contract_clause.id == clause
        )
        return only_what_matters(policy.terms, broken, describe(policy, arguments, confirmed=True))
    except WorkbenchError:
        return None


def describe(
    policy: CompiledPolicy, arguments: Arguments, *, confirmed: bool, note: str = ""
) -> Counterexample:
    """A counterexample with the decision on it and the path through the rules."""
    decision = policy.decide(arguments).verdict
    path = policy.path(arguments) if decision is not Verdict.CANNOT_EVALUATE else ()
    return Counterexample(dict(arguments), confirmed, decision, path, note)


def from_preview(terms: PolicyTerms, policy: CompiledPolicy, clause: Clause) -> CounterexampleSearch:
    """The preview solver's search for arguments that violate a clause."""
    from workbench.engines.smt.preview import breaking

    try:
        arguments = breaking(terms, clause)
    except WorkbenchError:
        return CounterexampleSearch(None)
    if arguments is None:
        return CounterexampleSearch(None, excluded=True)
    return CounterexampleSearch(confirm(policy, clause.id, arguments))


def vacuity_of(terms: PolicyTerms, clause: Clause) -> Vacuity:
    """The vacuity of a clause, from the preview solver."""
    from workbench.engines.smt.preview import vacuity

    try:
        return vacuity(terms, (clause,), time_limit_ms=_VACUITY_MS)[clause.id]
    except WorkbenchError as error:
        return Vacuity(None, None, None, str(error))


def from_model(policy: CompiledPolicy, lowered: Lowered, clause: str, text: str) -> Counterexample | None:
    """The arguments from Nagini's model, completed by a search for the values that it leaves open.

    If no completion violates the clause, the plainest one is returned, not confirmed.
    """
    model = parse_model(text)
    first: Arguments | None = None
    for values in completions(lowered, clause, model):
        arguments = lowered.decode(values)
        first = arguments if first is None else first
        counterexample = confirm(policy, clause, arguments)
        if counterexample is not None:
            return counterexample
    if first is None or not model:
        return None
    note = "Running the policy on these arguments does not violate the clause, so they are not confirmed."
    return describe(policy, first, confirmed=False, note=note)


def completions(
    lowered: Lowered, clause: str, model: Mapping[str, int | bool]
) -> Iterator[Mapping[str, int | bool | frozenset[int]]]:
    """Values for all parameters of a clause's method that agree with a model, plain ones first."""
    parameters = lowered.parameters(clause)
    choices: list[list[int | bool | frozenset[int]]] = []
    for name, kind in parameters.items():
        if kind == "bool":
            choices.append([bool(model[name])] if name in model else [False, True])
        elif kind == "int":
            limit = lowered.codes(name)
            plain_values = range(1, limit + 1) if limit else (0, 1, -1, 10, 100)
            choices.append([int(model[name])] if name in model else list(plain_values))
        else:
            choices.append(list(_sets(range(1, lowered.codes(name) + 1), model)))
    for values in islice(product(*choices), MOST_TRIES):
        yield dict(zip(parameters, values, strict=True))


def _sets(codes: range, model: Mapping[str, int | bool]) -> Iterator[frozenset[int]]:
    named = [value for value in model.values() if not isinstance(value, bool) and value in codes]
    single = dict.fromkeys(chain(named, codes))
    yield frozenset()
    for code in single:
        yield frozenset({code})
    for pair in combinations(single, 2):
        yield frozenset(pair)


def search(
    policy: CompiledPolicy, lowered: Lowered, clause: str, stop: Callable[[], bool]
) -> Counterexample | None:
    """A counterexample from trying plain values, used if no other engine is available."""
    for values in completions(lowered, clause, {}):
        if stop():
            return None
        counterexample = confirm(policy, clause, lowered.decode(values))
        if counterexample is not None:
            return counterexample
    return None
