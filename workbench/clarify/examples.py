"""Concrete inputs on which policies differ, from the logs if possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice, product

from workbench.engines.compiled.compile import CompiledPolicy
from workbench.engines.smt.preview import PreviewUndecided, distinguish
from workbench.model import Arguments, Kind, Value, WorkbenchError
from workbench.policy.decisive_part import what_fires
from workbench.policy.terms import PolicyTerms

READABLE_INPUTS = 2000
_NOTHING_YET: dict[Kind, Value] = {Kind.BOOL: False, Kind.INT: 0, Kind.DECIMAL: Decimal(0)}


def difference(
    policies: list[PolicyTerms | None], inputs: tuple[Arguments, ...]
) -> tuple[Arguments | None, bool]:
    """An input on which two of the policies differ, or None; and whether the search was undecided."""
    undecided = False
    for place, first in enumerate(policies):
        for second in policies[place + 1 :]:
            if first is None or second is None:
                undecided = True
                continue
            if first is second:  # drafted with the same words, so the solver is not needed
                continue
            try:
                example = distinguish(first, second, (*inputs, *_readable(first)))
            except PreviewUndecided:
                undecided = True
            except WorkbenchError:
                # Signatures without a common input cannot be compared, so the policies differ.
                undecided = True
            else:
                if example is not None:
                    return example, False
    return None, undecided


def telling_part(policies: Iterable[PolicyTerms | None], example: Arguments) -> Arguments:
    """The part of an example on which the decisions of the policies rest."""
    readable_policies = [policy for policy in policies if policy is not None]
    return what_fires(readable_policies, example) if readable_policies else example


def filled(policy: CompiledPolicy, arguments: Arguments) -> Arguments:
    """The input with values for the arguments that only this policy counts, if the input lacks them.

    One reading of a sentence may count earlier calls and another may not. An input without such an argument
    is taken as the first call of its run.
    """
    missing = {
        argument.name: _NOTHING_YET[argument.type.kind]
        for argument in policy.terms.arguments
        if argument.name not in arguments and argument.type.kind in _NOTHING_YET
    }
    return {**arguments, **missing}


def allows(policy: CompiledPolicy, arguments: Arguments) -> bool:
    """Whether a policy allows an input; arguments that only this policy counts are filled in."""
    filled_arguments = filled(policy, arguments)
    is_filled = all(argument.name in filled_arguments for argument in policy.terms.arguments)
    return is_filled and policy.allows(
        {argument.name: filled_arguments[argument.name] for argument in policy.terms.arguments}
    )


def _readable(terms: PolicyTerms) -> Iterator[Arguments]:
    """Yield short inputs, in which the arguments have few values: one element in each set."""
    pools: list[Sequence[Value]] = []
    for parameter in terms.arguments:
        listed_values = parameter.type.values
        match parameter.type.kind:
            case Kind.ENUM:
                pools.append(listed_values)
            case Kind.BOOL:
                pools.append((True, False))
            case Kind.SET if listed_values or elements(terms):
                pools.append([frozenset([value]) for value in listed_values or elements(terms)])
            case _:
                return
    for values in islice(product(*pools), READABLE_INPUTS):
        yield {parameter.name: value for parameter, value in zip(terms.arguments, values, strict=True)}


def elements(terms: PolicyTerms) -> tuple[str, ...]:
    """The texts that the tables and named sets of a policy list."""
    listed = [
        value
        for table in terms.tables.values()
        for entry in table.entries.values()
        if isinstance(entry, frozenset)
        for value in sorted(map(str, entry))
    ]
    return tuple(dict.fromkeys(listed))
