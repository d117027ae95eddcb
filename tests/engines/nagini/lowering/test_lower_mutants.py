"""Mistakes planted into the lowering make it disagree with the compiled policy."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable
from decimal import Decimal
from types import ModuleType

import pytest

from tests.engines.nagini.lowering.lowered_run import encode, run
from tests.plain_policies import check
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.nagini.lowering import lower as lowering
from workbench.engines.nagini.lowering import lowered_pieces, simplify
from workbench.model import Arguments
from workbench.policy.terms import PolicyTerms, StringTestKind

HEAD = """from decimal import Decimal
from typing import Literal

Role = Literal["physician", "nursing", "other"]
READABLE = {"physician": {"lab.result", "lab.name"}, "nursing": {"lab.name"}}
LIMITS = {"physician": 10, "nursing": 3}


"""
RULES = (
    ("role: Role, names: frozenset[str]", "any(n not in READABLE.get(role, frozenset()) for n in names)"),
    ("role: Role, names: frozenset[str]", 'role == "nursing" and all(n.startswith("lab.") for n in names)'),
    ("role: Role, count: int", "count > LIMITS.get(role, 0)"),
    ("count: int", "not (3 <= count and count < 10) or count == 5"),
    ("amount: Decimal", 'amount * 3 > Decimal("100.50") and amount != Decimal("40.00")'),
    ("address: str", 'address.endswith("@corp.com") or address == "root" or len(address) > 9'),
    ("address: str", '"x" in address and not address.startswith("max")'),
    ("flag: bool, count: int", "(count < 3 if flag else count >= 3)"),
)
VALUES: dict[str, tuple[object, ...]] = {
    "role": ("physician", "nursing", "other"),
    "names": tuple(
        frozenset(names)
        for names in ((), ("lab.name",), ("lab.result",), ("lab.name", "lab.result"), ("zzz",), ("lab.",))
    ),
    "count": (-1, 0, 2, 3, 4, 5, 9, 10, 11),
    "amount": tuple(map(Decimal, ("0.00", "33.49", "33.50", "33.51", "40.00", "40.01"))),
    "address": ("", "root", "a@corp.com", "corp.com", "max", "x", "maxx", "aaaaaaaaa", "aaaaaaaaaa"),
    "flag": (False, True),
}


def terms_of(parameters: str, rule: str) -> PolicyTerms:
    names = ", ".join(part.split(":")[0].strip() for part in parameters.split(", "))
    text = f'def forbid_it({parameters}) -> bool:\n    """R1: No."""\n    return {rule}\n\n\n'
    return check(f"{HEAD}{text}def allow({parameters}) -> bool:\n    return not forbid_it({names})\n")


def vectors(terms: PolicyTerms) -> Iterable[Arguments]:
    names = [argument.name for argument in terms.arguments]
    for values in itertools.product(*(VALUES[name] for name in names)):
        yield dict(zip(names, values, strict=True))  # pyright: ignore[reportReturnType]  the table holds values


def agrees() -> bool:
    """Whether lowered programs and compiled policies decide alike on every vector."""
    for parameters, rule in RULES:
        terms = terms_of(parameters, rule)
        policy = compile_policy(terms)
        try:
            lowered = lowering.lower(terms)
            if any(
                run(lowered, encode(lowered, vector)) is not policy.allows(vector)
                for vector in vectors(terms)
            ):
                return False
        except Exception:  # a mutant may fail in any way; that is noticed too
            return False
    return True


def plant(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, mistake: Callable[..., object]
) -> None:
    """Replace a function by a mistake, in every module of the lowering that imports it."""
    right = getattr(module, name)
    for module_type in list(sys.modules.values()):
        if (
            module_type.__name__.startswith("workbench.engines.nagini.lowering")
            and getattr(module_type, name, None) is right
        ):
            monkeypatch.setattr(module_type, name, mistake)


def test_without_a_mistake_everything_agrees() -> None:
    assert agrees()


RANGES, EITHER, BOTH = lowered_pieces.ranges, lowered_pieces.either, lowered_pieces.both
PICK, STRING_TEST = lowered_pieces.pick, simplify.string_test
type Test = Callable[[str], bool]


def loses_the_last_code_of_a_range(codes: Iterable[int], text: str) -> str:
    return RANGES(sorted(codes)[:-1], text)


def begins_a_range_one_code_late(codes: Iterable[int], text: str) -> str:
    return RANGES([code + 1 for code in codes], text)


def writes_and_for_or(parts: Iterable[str]) -> str:
    return BOTH(list(parts))


def writes_or_for_and(parts: Iterable[str]) -> str:
    return EITHER(list(parts))


def loses_a_negation(text: str) -> str:
    return text


def swaps_the_branches_of_a_choice(condition: str, then: str, otherwise: str) -> str:
    return PICK(condition, otherwise, then)


def mixes_up_prefix_and_suffix(kind: StringTestKind, constant: str) -> Test:
    other = {StringTestKind.PREFIX: StringTestKind.SUFFIX, StringTestKind.SUFFIX: StringTestKind.PREFIX}
    return STRING_TEST(other.get(kind, kind), constant)


def takes_contains_for_prefix(kind: StringTestKind, constant: str) -> Test:
    return STRING_TEST(StringTestKind.PREFIX if kind is StringTestKind.CONTAINS else kind, constant)


MISTAKES: tuple[tuple[ModuleType, str, Callable[..., object]], ...] = (
    (lowered_pieces, "ranges", loses_the_last_code_of_a_range),
    (lowered_pieces, "ranges", begins_a_range_one_code_late),
    (lowered_pieces, "either", writes_and_for_or),
    (lowered_pieces, "both", writes_or_for_and),
    (lowered_pieces, "no", loses_a_negation),
    (lowered_pieces, "pick", swaps_the_branches_of_a_choice),
    (simplify, "string_test", mixes_up_prefix_and_suffix),
    (simplify, "string_test", takes_contains_for_prefix),
)


@pytest.mark.parametrize(("module", "name", "mistake"), MISTAKES)
def test_a_planted_mistake_is_noticed(
    module: ModuleType, name: str, mistake: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, module, name, mistake)
    assert not agrees()
