"""Comparison of versions of a policy over records and lists: where they differ, or that they do not."""

from __future__ import annotations

from typing import cast

import pytest

from tests.engines.smt.told_apart import distinguish
from tests.plain_policies import check
from tests.policy.flat.airline import AIRLINE
from workbench.engines.smt.confirm import Runner
from workbench.engines.smt.diff import semantic_diff
from workbench.engines.smt.policy_pair import PolicyPair
from workbench.engines.smt.preview import witness
from workbench.model import RecordValue
from workbench.policy.flat.opening import narrowed
from workbench.policy.terms import ImpliesTerm

OLD = check(AIRLINE)


def changed(old: str, new: str) -> str:
    """The policy with one text replaced by another."""
    assert old in AIRLINE
    return AIRLINE.replace(old, new)


def test_one_more_certificate_is_newly_allowed_to_two_payments() -> None:
    new = check(changed("in user.certificates) > 1", "in user.certificates) > 2"))
    difference = semantic_diff(OLD, new, most=3)
    assert difference.equivalent is False
    assert not difference.newly_denied
    region = difference.newly_allowed[0]
    assert region.old_rules == ("forbid_two_certificates",)
    assert region.new_rules == ()
    payments = region.witness["payments"]
    assert isinstance(payments, tuple)
    assert len(payments) == 2
    assert not Runner(OLD).allows(region.witness)
    assert Runner(new).allows(region.witness)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "any(payment.payment_id not in user.payment_ids for payment in payments)",
            "not all(bill.payment_id in user.payment_ids for bill in payments)",
        ),
        (
            "sum(1 for payment in payments if payment.payment_id in user.certificates) > 1",
            "not sum(1 for bill in payments if bill.payment_id in user.certificates) <= 1",
        ),
        (
            "now - reservation.created_at > timedelta(hours=24)",
            "timedelta(days=1) < now - reservation.created_at",
        ),
    ],
)
def test_the_same_in_other_words_is_equivalent(old: str, new: str) -> None:
    assert distinguish(OLD, check(changed(old, new))) is None


def test_a_version_that_knows_fewer_fields_is_compared_on_those_of_both() -> None:
    insured = '\n            and reservation.insurance == "no"'
    uninsured = '\n            and reservation.insurance != "yes"'
    text = changed('    insurance: Literal["yes", "no"]\n', "").replace(insured, "").replace(uninsured, "")
    new = check(text)
    arguments = distinguish(OLD, new)
    assert arguments is not None
    pair = PolicyPair(OLD, new)
    assert pair.turned(arguments) is False
    assert Runner(OLD).allows(narrowed(OLD.arguments, arguments))
    assert not Runner(new).allows(narrowed(new.arguments, arguments))


def test_a_witness_leaves_out_what_does_not_matter() -> None:
    clause = OLD.clauses[7].term
    assert isinstance(clause, ImpliesTerm)
    arguments = witness(OLD, clause.condition)
    assert arguments is not None
    assert arguments["payments"] == ()
    assert arguments["flights"] == ()
    assert arguments["reservation"] is None


def test_a_region_names_the_recorded_input_that_lies_in_it_whatever_else_the_log_says_of_a_record() -> None:
    new = check(changed("in user.certificates) > 1", "in user.certificates) > 2"))
    plain = semantic_diff(OLD, new, most=1).regions[0].witness
    user = plain["user"]
    assert isinstance(user, RecordValue)
    logged = {**plain, "user": RecordValue(user.type, (*user.fields, ("nick", "mia")))}
    denied_by_both = {**plain, "payments": (*cast("tuple[RecordValue, ...]", plain["payments"]),) * 2}
    difference = semantic_diff(OLD, new, most=3, prefer=[None, denied_by_both, logged])
    assert [region.recorded for region in difference.regions].count(2) == 1
    assert {region.recorded for region in difference.regions} <= {2, None}
    (region,) = (
        differing_region for differing_region in difference.regions if differing_region.recorded is not None
    )
    assert region.witness == plain
