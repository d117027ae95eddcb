"""Numbers between bounds, sets with known members, records with known fields: all evaluators agree."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import cast

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.engines.compiled.test_incomplete import DECIDED, incomplete, of_interpreter
from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Arguments, Between, RecordValue, Value, Verdict
from workbench.policy.terms import PolicyTerms

_SLOW = settings(
    max_examples=examples(300),
    deadline=None,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
PAID = """from decimal import Decimal


def forbid_over_limit(total: Decimal, paid: Decimal) -> bool:
    \"\"\"R1: No more than 100.\"\"\"
    return total + paid > Decimal("100")


def forbid_back(total: Decimal, paid: Decimal) -> bool:
    \"\"\"R2: Never less than nothing.\"\"\"
    return not total - paid >= Decimal("-100") or paid == Decimal("7")


def allow(total: Decimal, paid: Decimal) -> bool:
    return not (forbid_over_limit(total, paid) or forbid_back(total, paid))
"""


@st.composite
def bounded(draw: st.DrawFn) -> tuple[PolicyTerms, Arguments, Arguments, Mapping[str, Between]]:
    """A policy, an input, a part of it, and what is known of numbers and sets that the part lacks."""
    terms, whole, part = draw(incomplete())
    between: dict[str, Between] = {}
    for name, value in whole.items():
        if name not in part and isinstance(value, int | Decimal) and not isinstance(value, bool):
            down, up = draw(st.tuples(*[st.sampled_from([0, 1, 5, None])] * 2))
            low, high = None if down is None else value - down, None if up is None else value + up
            if (low, high) != (None, None):
                between[name] = low, high
        elif name not in part and isinstance(value, frozenset) and value:
            between[name] = frozenset(draw(st.sets(st.sampled_from(sorted(value)))))
        elif name not in part and isinstance(value, RecordValue):
            fields = [one for one in value.fields if draw(st.booleans())]
            between[name] = RecordValue(value.type, tuple(fields))
    return terms, whole, part, between


@_SLOW
@given(st.data())
def test_all_evaluators_agree_and_each_completion_is_decided_so(data: st.DataObject) -> None:
    terms, whole, part, between = data.draw(bounded())
    policy = compile_policy(terms)
    decision = policy.decide_incomplete(part, {}, between)
    verdict, names = of_interpreter(terms, part, between)
    assert decision.verdict is verdict
    if verdict is Verdict.CANNOT_EVALUATE and names:
        assert names == set(policy.open_arguments(part, between))
    if decision.verdict in DECIDED:
        for _ in range(4):
            other = data.draw(arguments_for(terms))
            ends = {
                name: data.draw(st.sampled_from([whole[name], *_ends(bounds)]))
                for name, bounds in between.items()
            }
            assert policy.decide({**other, **ends, **part}).verdict is decision.verdict


def _ends(between: Between) -> list[Value]:
    """The least completions: numbers at a bound, and a set of the known members alone; of a record none."""
    if isinstance(between, RecordValue):
        return []
    if isinstance(between, frozenset):
        return [cast("Value", between)]
    return [bound for bound in between if bound is not None]


def test_bounds_decide_a_sum_and_leave_it_open_where_they_do_not() -> None:
    terms = check(PAID)
    policy = compile_policy(terms)
    for between, verdict in (
        ((Decimal(91), None), Verdict.DENY),
        ((Decimal(8), Decimal(90)), Verdict.ALLOW),
        ((Decimal(8), Decimal(91)), Verdict.CANNOT_EVALUATE),
        ((None, Decimal(90)), Verdict.CANNOT_EVALUATE),
        ((Decimal(7), Decimal(8)), Verdict.CANNOT_EVALUATE),
    ):
        decision = policy.decide_incomplete(
            {"total": Decimal(10)}, {"paid": "a result is not known"}, {"paid": between}
        )
        assert decision.verdict is verdict, between


TRIP = """from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Trip:
    cost: Decimal
    country: str


def forbid_dear(trip: Trip | None) -> bool:
    \"\"\"R1: No more than 100.\"\"\"
    return trip is not None and trip.cost > Decimal("100")


def forbid_abroad(trip: Trip | None, total: Decimal) -> bool:
    \"\"\"R2: Nothing dear abroad.\"\"\"
    return trip is not None and total > Decimal("50") and trip.country != "DE"


def allow(trip: Trip | None, total: Decimal) -> bool:
    return not (forbid_dear(trip) or forbid_abroad(trip, total))
"""


def test_a_known_field_of_a_record_decides_what_reads_it_alone() -> None:
    policy = compile_policy(check(TRIP))
    for fields, total, verdict in (
        ((("cost", Decimal(101)),), 60, Verdict.DENY),
        ((("cost", Decimal(100)),), 50, Verdict.ALLOW),
        ((("cost", Decimal(100)),), 60, Verdict.CANNOT_EVALUATE),
        ((("country", "DE"),), 60, Verdict.CANNOT_EVALUATE),
        ((("cost", Decimal("0.001")),), 50, Verdict.CANNOT_EVALUATE),  # no value that the policy takes
        ((), 50, Verdict.CANNOT_EVALUATE),
    ):
        decision = policy.decide_incomplete(
            {"total": Decimal(total)},
            {"trip": "a result says it in part"},
            {"trip": RecordValue("Trip", fields)},
        )
        assert decision.verdict is verdict, fields
