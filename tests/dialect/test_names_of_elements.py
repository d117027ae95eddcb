"""Names of elements that mean something else in the expressions of arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from random import Random

import pytest

from tests.dialect.call_policies import HEAD
from tests.dialect.naive_decision import Translated
from tests.runs.expressions.small_agent import call
from workbench.dialect.element_names import with_own_names
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, Json, RecordedCall, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier
from workbench.session.agent_file import read_agent

_BY_ITSELF = '''
def forbid_it(payment: PayInvoice, run: Run) -> bool:
    """R1: No."""
    return any(call.total > payment.total for call in run.earlier(PayInvoice))
'''
_IN_A_FACT = '''
def is_again(payment: PayInvoice, run: Run) -> bool:
    """whether the account was paid before"""
    return any(call.total > payment.total for call in run.earlier(PayInvoice))


def forbid_it(call: PayInvoice, run: Run) -> bool:
    """R1: No."""
    return is_again(call, run)
'''


def pay(index: int, total: int) -> RecordedCall:
    """A payment."""
    return call(index, "pay_invoice", {"total": total, "iban": "DE1"})


def order(index: int, booking: str, prices: tuple[int, ...]) -> RecordedCall:
    """An order of items with these prices."""
    items: list[Json] = [
        {"user_id": "u1", "price": price, "count": 1, "payment": {"amount": 1}} for price in prices
    ]
    return call(index, "order", {"booking_id": booking, "items": items, "names": []})


@pytest.mark.parametrize("rules", [_BY_ITSELF, _IN_A_FACT])
@pytest.mark.parametrize(("before", "verdict"), [(10, Verdict.DENY), (3, Verdict.ALLOW)])
def test_an_element_named_call_is_not_the_decided_call(rules: str, before: int, verdict: Verdict) -> None:
    policy = Translated(HEAD.format(default="allow") + rules)
    run = (pay(0, before), pay(1, 5))

    assert policy.core(run, 1) is policy.naive(run, 1) is verdict


_PAID_TO = """
def is_above(run: Run, amount: Decimal) -> bool:
    \"""whether more was paid at once\"""
    return any(c.total > amount for c in run.earlier(PayInvoice))


def forbid_it(call: PayInvoice, run: Run) -> bool:
    \"""R1: No.\"""
    return {}
"""


_LAST = "run.last(run.earlier(PayInvoice))"


@pytest.mark.parametrize(
    "condition",
    [
        "is_above(run, min((c.total for c in run.earlier(PayInvoice) if c.succeeded), default=call.total))",
        f"{_LAST} is not None and is_above(run, {_LAST}.total)",
    ],
)
def test_an_operand_may_have_elements_of_the_name_that_the_function_gives_to_its_own(condition: str) -> None:
    policy = Translated(HEAD.format(default="allow") + _PAID_TO.format(condition))
    runs = [tuple(pay(index, total) for index, total in enumerate(totals)) for totals in TOTALS]
    decided = [policy.core(run, len(run) - 1) for run in runs]
    assert decided == [policy.naive(run, len(run) - 1) for run in runs]
    assert set(decided) == {Verdict.ALLOW, Verdict.DENY}


_SAME = "run.last(i for i in run.earlier(Order) if i.booking_id == call.booking_id)"
ORDERS = (
    (("a", (5,)), ("a", ())),
    (("a", (5,)), ("b", (1,))),
    (("a", (2, 3)), ("a", (4,))),
    (("b", (5, 4)), ("a", (3,)), ("b", (9,))),
)


@pytest.mark.parametrize(
    "body",
    [
        f"return {_SAME} is not None and any(i.price > 3 for i in {_SAME}.items)",
        f"last = {_SAME}\n    return last is not None and any(i.price > 3 for i in last.items)",
        f"it = {_SAME}\n    high = it is not None and any(i.price > 3 for i in it.items)\n    return high",
        f"return {_SAME} is not None and any(any(i.price > 3 for i in {_SAME}.items) for i in {_SAME}.items)",
        f"return any({_SAME} is not None and i.price < 5 for i in call.items) or "
        f"{_SAME} is not None and any(i.price > 3 for i in {_SAME}.items if {_SAME}.succeeded)",
    ],
)
def test_what_is_guarded_is_what_is_read_whatever_the_elements_around_it_are_called(body: str) -> None:
    rule = f'\n\ndef forbid_it(call: Order, run: Run) -> bool:\n    """R1: No."""\n    {body}\n'
    policy = Translated(HEAD.format(default="allow") + rule)
    runs = [tuple(order(at, *one) for at, one in enumerate(orders)) for orders in ORDERS]
    decided = [policy.core(run, len(run) - 1) for run in runs]
    assert decided == [policy.naive(run, len(run) - 1) for run in runs]
    assert set(decided) == {Verdict.ALLOW, Verdict.DENY}


def test_elements_that_are_renamed_mean_what_they_meant() -> None:
    for seed in range(600):
        random = Random(seed)
        first, last = (_random_term(random, ("p", "q"), 4) for _ in range(2))
        own = with_own_names(
            _function(f"def f(p, q):\n    c_3 = {first}\n    return {last} - c_3"), frozenset()
        )

        before, after = f"{last} - ({first})", "".join(ast.unparse(part) for part in own.body[1:])[7:]
        names = {"total": _total, "p": 2, "q": 3}
        inner = {**names, "c_3": eval(ast.unparse(own.body[0])[6:], names)}  # noqa: S307
        assert eval(after, inner) == eval(before, names), (before, after)  # noqa: S307
        for outer in _generators(own):
            assert all(_element(outer) != _element(one) for one in _generators(outer) if one is not outer)


def _function(text: str) -> ast.FunctionDef:
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    return function


def _random_term(random: Random, names: tuple[str, ...], depth: int) -> str:
    if not depth:
        return random.choice(names)
    inside = random.choice(("c", "c_2", "c_2_2"))
    around = _random_term(random, names, random.randrange(depth))
    element = _random_term(random, (*names, inside), depth - 1)
    return f"total({element} + {random.choice(names)} for {inside} in ({around}, {random.choice(names)}, 1))"


def _total(values: Iterable[int]) -> int:
    return sum((place + 1) * value for place, value in enumerate(values)) % 1009


def _generators(node: ast.AST) -> list[ast.GeneratorExp]:
    return [part for part in ast.walk(node) if isinstance(part, ast.GeneratorExp)]


def _element(generator: ast.GeneratorExp) -> str:
    return ast.unparse(generator.generators[0].target)


TOTALS = ((1, 9), (9, 1), (9, 3, 1), (3, 9, 1), (2, 3, 4), (4, 3, 3))


def test_a_pair_may_have_the_name_that_an_earlier_call_gets_in_an_expression() -> None:
    rule = '''
def forbid_it(call: Order, run: Run) -> bool:
    """R1: No."""
    return any(
        any(e.total > c.price and e.iban == y for e in run.earlier(PayInvoice))
        for c, y in zip(call.items, call.names)
    )
'''
    policy = Translated(HEAD.format(default="allow") + rule)
    item: Json = {"user_id": "u1", "price": 5, "count": 1, "payment": {"amount": 1}}
    decided = call(1, "order", {"booking_id": "b1", "items": [item], "names": ["DE1"]})

    for total, verdict in ((10, Verdict.DENY), (3, Verdict.ALLOW)):
        run = (pay(0, total), decided)
        assert policy.core(run, 1) is policy.naive(run, 1) is verdict


_ITEMS = """
name = "shop"

[tools.get_user]
parameters = {type = "object", properties = {id = {type = "string"}}, required = ["id"]}

[tools.order.parameters]
type = "object"
required = ["items"]

[tools.order.parameters.properties.items]
type = "array"

[tools.order.parameters.properties.items.items]
type = "object"
required = ["user_id", "user_age", "payment", "payment_amount"]

[tools.order.parameters.properties.items.items.properties]
user_id = {type = "string"}
user_age = {type = "integer"}
payment = {type = "object", properties = {amount = {type = "number"}}, required = ["amount"]}
payment_amount = {type = "number"}
most = {type = "number"}

[records.user]
key = "id"
fields.id = {type = "str"}
fields.age = {type = "int"}
fields.limit = {type = "decimal", optional = true}
results.get_user = {}
look_up = {tool = "get_user", arguments = {id = "key"}}
"""
_USER = "run.user(i.user_id)"


def verdict(spec: AgentSpec, condition: str, run: tuple[RecordedCall, ...]) -> Verdict:
    """What a rule with this condition decides on the last call, which orders."""
    text = (
        'from agent import Order, Run\n\nDEFAULT = "allow"\n\n\n'
        f'def forbid_it(call: Order, run: Run) -> bool:\n    """R1: No."""\n    return {condition}\n'
    )
    lowered = lowered_policy(text, spec)
    found = Extractor(lowered.arguments, spec).extract(run[-1], Earlier(run, len(run) - 1))
    return decision_on(compile_policy(lowered.terms), found).verdict


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (f"any({_USER} is not None and {_USER}.age != i.user_age for i in call.items)", Verdict.DENY),
        (f"any({_USER} is not None and i.user_age != {_USER}.age for i in call.items)", Verdict.DENY),
        ("any(i.payment.amount != i.payment_amount for i in call.items)", Verdict.DENY),
        ("any(i.payment_amount != i.payment.amount for i in call.items)", Verdict.DENY),
        ("any(i.payment_amount < 7 for i in call.items)", Verdict.ALLOW),
        ("any(i.most is not None and i.payment_amount > i.most for i in call.items)", Verdict.DENY),
        (
            f"any({_USER} is not None and {_USER}.limit is not None and {_USER}.limit < i.payment_amount"
            " for i in call.items)",
            Verdict.DENY,
        ),
    ],
)
def test_a_value_of_the_run_for_an_element_is_no_field_of_the_element(
    condition: str, expected: Verdict
) -> None:
    item: Json = {"user_id": "u1", "user_age": 40, "payment": {"amount": 5}, "payment_amount": 9, "most": 8}
    run = (
        call(0, "get_user", {"id": "u1"}, '{"id": "u1", "age": 17, "limit": 3}'),
        call(1, "order", {"items": [item]}),
    )

    assert verdict(read_agent(_ITEMS), condition, run) is expected


def test_lists_of_two_tools_whose_arguments_have_names_alike_are_of_two_classes() -> None:
    tools = "".join(
        f'[tools.{tool}]\nclass_name = "{name}"\n'
        f'[tools.{tool}.parameters]\ntype = "object"\nrequired = ["xs"]\n'
        f'[tools.{tool}.parameters.properties.xs]\ntype = "array"\n'
        f'[tools.{tool}.parameters.properties.xs.items]\ntype = "object"\nrequired = ["p"]\n'
        'properties.p = {type = "object", required = ["a"], '
        f'properties = {{a = {{type = "{type_}"}}}}}}\n'
        for tool, name, type_ in (("pay_all", "One", "number"), ("payAll", "Other", "string"))
    )
    rules = "".join(
        f'\n\ndef forbid_{name}(call: {name}, run: Run) -> bool:\n    """R1: No."""\n'
        f"    return any(i.p.a == {value} for i in call.xs)\n"
        for name, value in (("One", "1"), ("Other", '"x"'))
    )
    policy = f'from agent import One, Other, Run\n\nDEFAULT = "allow"\n{rules}'

    lowered = lowered_policy(policy, read_agent(f'name = "d"\n{tools}'))

    assert len({argument.type.element for argument in lowered.arguments[1:]}) == 2


def test_an_element_that_is_known_settles_what_another_leaves_open() -> None:
    known: Json = {"user_id": "u1", "user_age": 40, "payment": {"amount": 5}, "payment_amount": 9, "most": 8}
    unknown: Json = {**known, "user_id": "u2"}
    run = (
        call(0, "get_user", {"id": "u1"}, '{"id": "u1", "age": 17, "limit": 3}'),
        call(1, "order", {"items": [unknown, known]}),
    )
    young = "any(run.user(i.user_id) is not None and run.user(i.user_id).age < {} for i in call.items)"

    assert verdict(read_agent(_ITEMS), young.format(18), run) is Verdict.DENY
    assert verdict(read_agent(_ITEMS), young.format(10), run) is Verdict.CANNOT_EVALUATE


def test_equal_expressions_of_a_local_name_stay_one_value() -> None:
    """What is guarded against being absent and what is read then are the same."""
    rule = '''
def forbid_it(call: PayInvoice, run: Run) -> bool:
    """R1: No."""
    again = (
        run.last(e for e in run.earlier(PayInvoice) if e.total > call.total) is not None
        and run.last(e for e in run.earlier(PayInvoice) if e.total > call.total).iban == call.iban
    )
    return again
'''
    policy = Translated(HEAD.format(default="allow") + rule)
    assert policy.core((pay(0, 10), pay(1, 5)), 1) is policy.naive((pay(0, 10), pay(1, 5)), 1) is Verdict.DENY
    assert policy.core((pay(0, 5), pay(1, 5)), 1) is policy.naive((pay(0, 5), pay(1, 5)), 1) is Verdict.ALLOW
