"""Several records that one look-up tells are realised by one result."""

from __future__ import annotations

import pytest

from workbench.check.realise.realiser import Realiser
from workbench.dialect.lowered_policy import lowered_policy
from workbench.session.agent_file import read_agent

AGENT = """\
name = "desk"

[tools.get_customer.parameters]
type = "object"
required = ["id"]
properties = {id = {type = "string"}}

[tools.sell.parameters]
type = "object"
required = ["customer"]
properties = {customer = {type = "string"}}

[records.customer]
key = "id"
fields.cards = {type = "set", path = "payment[*].id", where = {source = "card"}}
fields.level = {type = "int"}
look_up = {tool = "get_customer", arguments = {id = "key"}}
absent = ["nobody"]

[records.purse]
key = "id"
fields.coupons = {type = "set", path = "payment[*].id", where = {source = "coupon"}}
look_up = {tool = "get_customer", arguments = {id = "key"}}
absent = ["nobody"]
"""
POLICY = '''\
"""Sales."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Run, Sell

DEFAULT = "allow"


def forbid_unknown(call: Sell, run: Run) -> bool:
    """R1: No sale to strangers."""
    return run.customer(call.customer) is None or run.purse(call.customer) is None


def contract_sale(call: Sell, run: Run) -> None:
    customer = run.customer(call.customer)
    purse = run.purse(call.customer)
    # R2: No such sale.
    Ensures(Implies(customer is not None and purse is not None and {condition}, not Result()))
'''


@pytest.mark.parametrize(
    "condition",
    [
        '"a" in customer.cards and "b" in purse.coupons',
        'customer.level > 3 and "b" in purse.coupons and not "b" in customer.cards',
    ],
)
def test_one_result_tells_of_both(condition: str) -> None:
    spec = read_agent(AGENT)
    terms = lowered_policy(POLICY.replace("{condition}", condition), spec).terms
    (clause,) = terms.clauses
    found = Realiser(terms, spec).breaking(clause, "sell")
    assert found is not None
    assert [call.tool for call in found.run.calls] == ["get_customer", "sell"]
