"""What a policy of calls comes to over plain arguments."""

from __future__ import annotations

import pytest

from tests.dialect.desk import AGENT, HEAD, expressions, lowered, rule, types
from workbench.dialect.check import run_expression
from workbench.dialect.lowered_policy import lowered_policy
from workbench.dialect.run_terms import text_of
from workbench.engines.smt.preview import preview
from workbench.model import ProofStatus
from workbench.policy.problems import PolicyError
from workbench.policy.term_text import render_term
from workbench.session.agent_file import read_agent

_PAID = """\
def paid(call: PayInvoice, run: Run) -> Decimal:
    \"\"\"what was paid in this run, this payment included\"\"\"
    return call.total + sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)

"""


_RECENT = (
    "any(c.iban == call.iban and call.time - c.time < timedelta(hours=1) for c in run.earlier(PayInvoice))"
)


def _body(functions: str) -> str:
    return render_term(lowered(functions).terms.rules[0].body)


@pytest.mark.parametrize(
    ("body", "core", "expression"),
    [
        ("call.total > 5", 'pay_invoice_total > Decimal("5")', "call.total"),
        ("run.trip(call.trip_id) is None", "pay_invoice_trip is None", "run.trip(call.trip_id)"),
        (
            "looked_up(run.trip(call.trip_id))",
            "pay_invoice_looked_up_trip",
            "looked_up(run.trip(call.trip_id))",
        ),
        (
            _RECENT,
            "pay_invoice_any_pay_invoice",
            _RECENT,
        ),
        (
            "all(a == b for a, b in zip(call.codes, call.codes))",
            "pay_invoice_all_call_codes_call_codes",
            "all(a == b for a, b in zip(call.codes, call.codes))",
        ),
        ('"user" in call.iban.source', '"user" in pay_invoice_iban_source', "call.iban.source"),
        ("call.note is None", "pay_invoice_note is None", "call.note"),
    ],
)
def test_a_value_over_call_and_run_becomes_an_argument(body: str, core: str, expression: str) -> None:
    policy = lowered(rule(body))

    assert _body(rule(body)) == f'tool == "pay_invoice" and {core}'
    assert expression in expressions(policy).values()


def test_what_is_around_values_over_the_run_stays_a_term() -> None:
    policy = lowered(_PAID + rule("paid(call, run) > 5000"))

    assert _body(_PAID + rule("paid(call, run) > 5000")) == (
        'tool == "pay_invoice" and pay_invoice_total + sum_total_pay_invoice > Decimal("5000")'
    )
    assert expressions(policy)["sum_total_pay_invoice"] == (
        "sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)"
    )


def test_a_record_over_two_hops_is_a_record_by_its_key() -> None:
    functions = (
        "def forbid_it(call: PayInvoice, run: Run) -> bool:\n"
        '    """R1: No."""\n'
        "    trip = run.trip(call.trip_id)\n"
        "    if trip is None:\n"
        "        return True\n"
        "    centre = run.cost_centre(trip.cost_centre)\n"
        "    return centre is None or call.total > centre.left\n"
    )

    assert expressions(lowered(functions))["pay_invoice_cost_centre"] == (
        "run.cost_centre(run.trip(call.trip_id).cost_centre)"
    )


@pytest.mark.parametrize(
    ("body", "expression"),
    [
        (
            "any(run.cost_centre(line.cost_centre) is None for line in call.lines)",
            "any(run.cost_centre(y.cost_centre) is None for y in call.lines)",
        ),
        (
            "not all(run.cost_centre(line.cost_centre) is not None for line in call.lines)",
            "any(run.cost_centre(y.cost_centre) is None for y in call.lines)",
        ),
        (
            "any(run.trip(code) is None for code in call.codes)",
            "any(run.trip(y) is None for y in call.codes)",
        ),
    ],
)
def test_what_the_run_says_of_the_elements_of_a_list_is_one_argument(body: str, expression: str) -> None:
    assert list(expressions(lowered(rule(body))).values()) == [expression]


def test_equal_expressions_are_one_argument_whatever_their_elements_are_called() -> None:
    one = "any(c.total > 5 for c in run.earlier(PayInvoice))"
    other = "any(payment.total > 5 for payment in run.earlier(PayInvoice))"

    assert len(expressions(lowered(rule(f"{one} or {other}")))) == 1


@pytest.mark.parametrize(
    "body",
    [
        "any(c.iban == call.iban for c in run.earlier(PayInvoice, BookRoom)) or call.note is None",
        "sum(line.amount for line in call.lines) != call.total",
        "all(any(c.total == line.amount for c in run.earlier(PayInvoice)) for line in call.lines)",
        "any(a == b and run.trip(a) is None for a, b in zip(call.codes, call.codes))",
    ],
)
def test_the_expression_of_an_argument_is_read_as_it_was_written(body: str) -> None:
    if "BookRoom" in body:
        body = body.replace("c.iban == call.iban", "c.trip_id == call.trip_id")
    policy = lowered(rule(body))
    for argument in policy.arguments[1:]:
        expression = argument.expression
        assert expression is not None
        assert text_of(run_expression(expression.text, types(), expression.tool).term) == expression.text


def test_calls_without_a_permission_of_their_own_are_decided_by_the_default() -> None:
    permit = (
        'def permit_it(call: PayInvoice) -> bool:\n    """R2: Small ones."""\n    return call.total < 5\n'
    )
    denying = HEAD.replace('"allow"', '"deny"')

    assert [rule.name for rule in lowered(permit).terms.rules] == ["permit_it", "permit_other_tools"]
    assert [rule.name for rule in lowered(permit, denying).terms.rules] == ["permit_it"]


def test_a_policy_that_permits_nothing_denies_every_call_and_keeps_its_rules() -> None:
    denying = HEAD.replace('"allow"', '"deny"')

    assert not lowered("", denying).terms.default_allow
    policy = lowered(rule("call.total > 5"), denying)
    assert [one.name for one in policy.terms.rules] == ["forbid_it"]
    assert not policy.terms.default_allow


_COUNTED = """\
def payments(run: Run) -> int:
    return sum(1 for c in run.earlier(PayInvoice) if c.succeeded)

def to_it(call: PayInvoice, run: Run) -> int:
    return sum(1 for c in run.earlier(PayInvoice) if c.succeeded and c.iban == call.iban)

def forbid_it(call: PayInvoice, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return payments(run) >= 3

def contract_it(call: PayInvoice, run: Run) -> None:
    # R1: No.
    Ensures(Implies({condition}, not Result()))
"""


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ("payments(run) >= 3", ProofStatus.PROVED),
        ("to_it(call, run) >= 3", ProofStatus.PROVED),
        ("to_it(call, run) >= 2", ProofStatus.REFUTED),
        ("payments(run) > 2 or payments(run) < 0", ProofStatus.PROVED),
        ("not any(c.succeeded for c in run.earlier(PayInvoice)) and payments(run) > 0", ProofStatus.VACUOUS),
    ],
)
def test_proofs_assume_what_relates_values_over_one_run(condition: str, status: ProofStatus) -> None:
    policy = lowered(_COUNTED.format(condition=condition))

    assert policy.terms.axioms
    assert [clause.status for clause in preview(policy.terms).clauses] == [status]


def test_one_key_names_one_record() -> None:
    functions = (
        "def forbid_it(call: PayInvoice, run: Run) -> bool:\n"
        '    """R1: No."""\n'
        "    supplier = run.supplier(call.supplier_id)\n"
        "    return supplier is None or call.total > supplier.limit\n\n"
        "def contract_it(call: PayInvoice, run: Run) -> None:\n"
        "    # R1: No.\n"
        "    Ensures(Implies(call.iban == call.supplier_id and run.supplier(call.iban) is None,\n"
        "                    not Result()))\n"
    )

    assert preview(lowered(functions).terms).status is ProofStatus.PROVED


def test_a_contract_may_name_what_its_clauses_share() -> None:
    contract = (
        "def contract_it(call: PayInvoice, run: Run) -> None:\n"
        "    trip = run.trip(call.trip_id)\n"
        "    # R1: No.\n"
        "    Ensures(Implies(trip is None, not Result()))\n"
        "    limit = Decimal(3)\n"
        "    # R1: No.\n"
        "    Ensures(Implies(call.total > limit, not Result()))\n"
    )
    policy = lowered(rule("call.total > 3 or run.trip(call.trip_id) is None") + contract)

    assert preview(policy.terms).status is ProofStatus.PROVED


def test_a_text_of_a_kind_has_parts() -> None:
    noted = AGENT.replace(
        'note = {type = "string"}', 'note = {type = "string"}\ncommand = {type = "string"}'
    ).replace('"codes", "amounts"]', '"codes", "amounts", "command"]')
    noted = noted.replace(
        "[tools.book_room]", '[tools.pay_invoice.fields.command]\ntype = "command"\n\n[tools.book_room]', 1
    )
    functions = rule('"rm" in call.command.programs or any("/etc" in p.inside for p in call.command.paths)')
    policy = lowered_policy(f"{HEAD}{functions}", read_agent(noted))

    assert expressions(policy) == {
        "pay_invoice_command_programs": "call.command.programs",
        "pay_invoice_any_command_paths": 'any("/etc" in y.inside for y in call.command.paths)',
    }
    for wrong, hint in (
        ("call.command.opaque", "no rule has to ask"),
        ("call.command.program", "Did you mean `programs`"),
    ):
        with pytest.raises(PolicyError, match=hint):
            lowered_policy(f"{HEAD}{rule(wrong)}", read_agent(noted))


_ORDERS = """\
name = "desk"

[tools.order]
[tools.order.parameters]
type = "object"
required = ["lines"]
[tools.order.parameters.properties.lines]
type = "array"
[tools.order.parameters.properties.lines.items]
type = "object"
required = ["user_id", "user_limit", "payment", "payment_amount"]
[tools.order.parameters.properties.lines.items.properties]
user_id = {type = "string"}
user_limit = {type = "number"}
payment_amount = {type = "number"}
payment = {type = "object", properties = {amount = {type = "number"}}, required = ["amount"]}

[tools.get_user]
parameters = {type = "object", properties = {user_id = {type = "string"}}, required = ["user_id"]}

[records.user]
key = "user_id"
fields.limit = {type = "decimal", optional = true}
look_up = {tool = "get_user", arguments = {user_id = "key"}}
"""


@pytest.mark.parametrize(
    ("body", "core"),
    [
        (
            "line.payment.amount > 5 and line.payment_amount > 6",
            'line.payment_amount_2 > Decimal("5") and line.payment_amount > Decimal("6")',
        ),
        (
            "line.payment_amount > 6 and line.payment.amount > 5",
            'line.payment_amount > Decimal("6") and line.payment_amount_2 > Decimal("5")',
        ),
        (
            "line.user_limit > 5 and line.user_limit > 6",
            'line.user_limit > Decimal("5") and line.user_limit > Decimal("6")',
        ),
    ],
)
def test_fields_of_an_element_are_one_only_if_they_are_the_same_value(body: str, core: str) -> None:
    source = (
        'from decimal import Decimal\n\nfrom agent import Order, Run\n\nDEFAULT = "allow"\n\n\n'
        'def forbid_it(call: Order, run: Run) -> bool:\n    """R1: No."""\n'
        f"    return any({body} for line in call.lines)\n"
    )
    term = lowered_policy(source, read_agent(_ORDERS)).terms.rules[0].body
    assert " ".join(render_term(term).split()) == f'tool == "order" and any({core} for line in order_lines)'


def test_a_problem_of_lowering_has_the_column_of_its_expression() -> None:
    looked_up = "any(LIMITS.get(c.iban, 0) > 1 for c in run.earlier(PayInvoice))"
    head = f'{HEAD}LIMITS = {{"a": 1, "b": 2}}\n\n'
    functions = rule(f"call.total > 5 and {looked_up}")
    with pytest.raises(PolicyError) as refused:
        lowered(functions, head)
    (problem,) = refused.value.problems
    line = f"{head}{functions}".splitlines()[problem.line - 1]
    assert line[problem.column - 1 :] == looked_up


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            'any(call.iban == "a" and line.amount > 5 for line in call.lines)',
            'pay_invoice_iban == "a" and any(line.amount > Decimal("5") for line in pay_invoice_lines)',
        ),
        (
            'any(line.amount > 5 and call.iban == "a" for line in call.lines)',
            'any(line.amount > Decimal("5") for line in pay_invoice_lines) and pay_invoice_iban == "a"',
        ),
        (
            'all(line.amount > 5 for line in call.lines if call.iban == "a")',
            'not pay_invoice_iban == "a" or all(line.amount > Decimal("5") for line in pay_invoice_lines)',
        ),
        (
            'all(call.iban == "a" for line in call.lines)',
            'pay_invoice_iban == "a" or all(False for line in pay_invoice_lines)',
        ),
        (
            'all(call.iban == "a" and line.amount > 5 for line in call.lines)',
            'all(pay_invoice_iban == "a" and line.amount > Decimal("5") for line in pay_invoice_lines)',
        ),
    ],
)
def test_what_a_condition_asks_of_no_element_stands_outside_of_the_list(body: str, text: str) -> None:
    assert _body(rule(body)) in (f'tool == "pay_invoice" and {text}', f'tool == "pay_invoice" and ({text})')


def test_a_condition_outside_of_a_list_is_that_within_it_in_a_proof() -> None:
    clause = (
        'Ensures(Implies(any(call.iban == "a" and line.amount > 5 for line in call.lines), not Result()))'
    )
    contract = f"\n\ndef contract_it(call: PayInvoice, run: Run) -> None:\n    # R1: No.\n    {clause}\n"
    policy = lowered(rule('call.iban == "a" and any(line.amount > 5 for line in call.lines)') + contract)
    (found,) = preview(policy.terms).clauses
    assert found.status is ProofStatus.PROVED
