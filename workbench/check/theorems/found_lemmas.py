"""Lemmas that the workbench tries for a theorem: what may hold of the values that it and the policy gather.

They are theorems like those that a person states: kept only as far as all of them are proved together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass

from workbench.dialect.call_types import AgentTypes
from workbench.dialect.check import check_calls
from workbench.dialect.checked import CallPolicy, CallTheorem, OverCalls
from workbench.dialect.class_names import CALLS
from workbench.model import Kind
from workbench.policy.problems import PolicyError

_MOST = 16
_EARLIER = "earlier"


@dataclass(frozen=True, slots=True)
class WithLemmas:
    """A policy with further theorems, which are named here in their order."""

    policy: CallPolicy
    lemmas: tuple[str, ...]


def with_lemmas(text: str, types: AgentTypes, theorem: CallTheorem) -> WithLemmas | None:
    """The policy of a text with what may be lemmas for a theorem; None if there are none to try."""
    conditions = list(dict.fromkeys(_conditions(text, theorem)))[:_MOST]
    names = [f"{theorem.name}_lemma_{number}" for number in range(1, len(conditions) + 1)]
    if not conditions or any(f"def {name}(" in text for name in names):
        return None
    source = text + "".join(
        f"\n\ndef {name}(run: Run) -> bool:\n    {condition!r}\n    return {condition}\n"
        for name, condition in zip(names, conditions, strict=True)
    )
    try:
        return WithLemmas(check_calls(source, types, all_have_ended=True), tuple(names))
    except PolicyError:
        return None  # a name or a type that the file does not have


def _conditions(text: str, theorem: CallTheorem) -> Iterator[str]:
    """Conditions on the sums and counts of a theorem and of the policy's rules."""
    for part in theorem.parts:
        if part.operation in ("sum", "count") and part.before is not None:
            yield from _of_one(part)
    gathered = list(dict.fromkeys((*_of_theorem(theorem), *_of_rules(text))))
    for one in gathered:
        yield from (f"{one} <= {other}" for other in gathered if other != one and _comparable(one, other))


def _of_one(part: OverCalls) -> Iterator[str]:
    """A sum or count is not negative, and nothing without calls that count."""
    zero = 'Decimal("0")' if part.type.kind is Kind.DECIMAL else "0"
    own = ast.unparse(_of_run(ast.parse(part.text, mode="eval").body))
    yield f"{own} >= {zero}"
    counted = ast.parse(own, mode="eval").body
    assert isinstance(counted, ast.Call)
    (generator,) = counted.args
    assert isinstance(generator, ast.GeneratorExp)
    some = deepcopy(generator)
    some.elt = ast.Constant(True)
    every = deepcopy(some)
    every.generators[0].ifs = []
    for each in (some, every):
        yield f"any({ast.unparse(each).removeprefix('(').removesuffix(')')}) or {own} == {zero}"


def _of_theorem(theorem: CallTheorem) -> Iterator[str]:
    for part in theorem.parts:
        if part.operation in ("sum", "count") and part.before is not None:
            yield ast.unparse(_of_run(ast.parse(part.text, mode="eval").body))


def _of_rules(text: str) -> Iterator[str]:
    """The sums of a policy's rules and facts over all earlier calls that read nothing else."""
    for node in ast.walk(ast.parse(text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum"):
            continue
        match node.args:
            case [ast.GeneratorExp(_, [ast.comprehension(ast.Name(element), many, _, _)]) as generator]:
                named = {one.id for part in (generator.elt, *generator.generators[0].ifs)
                         for one in ast.walk(part) if isinstance(one, ast.Name)}  # fmt: skip
                is_plain = isinstance(many, ast.Call) and isinstance(many.func, ast.Attribute)
                if is_plain and many.func.attr == _EARLIER and named <= {element}:  # type: ignore[union-attr] # it is one
                    yield ast.unparse(_of_run(node))
            case _:
                pass


def _of_run(node: ast.expr) -> ast.expr:
    """What is gathered over earlier calls, or over those of a run of any name, over ``run.calls``."""
    changed = deepcopy(node)
    for part in ast.walk(changed):
        if isinstance(part, ast.Attribute) and part.attr in (_EARLIER, CALLS):
            part.attr, part.value = CALLS, ast.Name("run")
    return changed


def _comparable(one: str, other: str) -> bool:
    """Whether two sums are over the same values of the same calls, so that one may be a part of the other."""
    return _values(one) == _values(other)


def _values(gathered: str) -> Sequence[str]:
    node = ast.parse(gathered, mode="eval").body
    assert isinstance(node, ast.Call) and isinstance(node.args[0], ast.GeneratorExp)
    generator = node.args[0]
    return ast.dump(generator.elt), ast.dump(generator.generators[0].iter)
