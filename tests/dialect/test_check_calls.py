"""What a policy of calls may say, and the sentence where it says something else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.dialect.desk import HEAD, lowered, rule, spec
from tests.runs.expressions.small_agent import call
from workbench.dialect.call_types import agent_types
from workbench.dialect.lowered_policy import lowered_policy
from workbench.dialect.stub import stub
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, Json, Tool, Verdict
from workbench.policy.problems import PolicyError
from workbench.policy.terms import Or
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier


def _problems(functions: str, head: str = HEAD) -> str:
    with pytest.raises(PolicyError) as raised:
        lowered(functions, head)
    return " ".join(
        f"{problem.line}: {problem.message} {problem.instead}" for problem in raised.value.problems
    )


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("call.totl > 5", "PayInvoice has no field `totl`. Did you mean `total`?"),
        ("call.succeeded", "PayInvoice has no field `succeeded`."),
        ("call.note == 'x' or len(call.note) > 3", "`call.note` may be None here."),
        ("run.trip(call.trip_id).cost_centre == 'a'", "`run.trip(call.trip_id)` may be None here."),
        ("run.tripp(call.trip_id) is None", "The agent has no record `tripp`. Did you mean `trip`?"),
        ("run.trip(call.total) is None", "A Decimal is no key."),
        ("run.trip() is None", "`run.trip` takes one key."),
        ("any(c.total > 5 for c in run.earlier(Pay))", "`Pay` is not a class of calls."),
        ("run.earlier(PayInvoice)", "`run.earlier(...)` has elements, not a value."),
        ("run.last(run.earlier(PayInvoice)).total > 5", "may be None here."),
        ("run.earlier", "`run` has no field `earlier`."),
        ("run.context.budget > 5", "The context has no value `budget`."),
        ("looked_up(call.trip_id)", "`looked_up` takes a record of the run."),
        ("all(a == b for a, b in zip(call.codes, call.iban))", "`zip` takes two lists."),
        ("all(a == b for a, b in zip(call.codes))", "Pairs are of two lists."),
        ("all(c.total for c in run.earlier(PayInvoice))", "A condition is expected here"),
        ("call.total", "returns bool, but this is a Decimal"),
        ("sum(c.iban for c in run.earlier(PayInvoice)) > 1", "`sum` cannot add a str."),
        ("[c for c in run.earlier(PayInvoice)] == []", "is not a set"),
        ("(lambda: True)()", "Only named functions can be called."),
        (
            "(None if call.total > 5 else call.total) is None",
            "A choice with None on one side is not in the dialect.",
        ),
        ("call.__class__ == 1", "has no field `__class__`"),
    ],
)
def test_an_expression_without_a_meaning_is_one_sentence_at_its_line(body: str, sentence: str) -> None:
    problems = _problems(rule(body))

    assert sentence in problems
    assert "12: " in problems


@pytest.mark.parametrize(
    ("name", "place"),
    [("PayInvoice", "10:21"), ("Run", "10:38"), ("BookRoom", "12:50"), ("looked_up", "12:65")],
)
def test_a_name_of_the_agent_needs_its_import_at_its_first_use(name: str, place: str) -> None:
    used = rule("any(c.nights > 1 for c in run.earlier(BookRoom)) and looked_up(run.trip(call.trip_id))")
    left = [one for one in ("BookRoom", "PayInvoice", "Run", "looked_up") if one != name]
    head = HEAD.replace(
        "from agent import BookRoom, Call, GetTrip, PayInvoice, Run, looked_up",
        f"from agent import {', '.join(left)}",
    )
    with pytest.raises(PolicyError) as raised:
        lowered(used, head)
    (problem,) = raised.value.problems
    assert str(problem).startswith(f"line {place}: `{name}` is not imported.")
    assert problem.instead == f"Add `from agent import {name}` at the top."


def test_a_rule_over_several_tools_uses_only_what_all_of_them_have() -> None:
    assert "BookRoom has no field `total`." in _problems(
        rule("call.total > 5", about="PayInvoice | BookRoom")
    )
    assert lowered(rule("call.trip_id == 'a'", about="PayInvoice | BookRoom")).terms.rules


def test_a_fact_is_one_term_for_equal_operands_and_another_for_others() -> None:
    fact = "def over(call: PayInvoice, limit: Decimal) -> bool:\n    return call.total > limit\n\n"
    rules = "".join(
        rule(f'over(call, Decimal("{limit}")) or call.trip_id == "{place}"').replace("_it", f"_{place}")
        for place, limit in enumerate((5, 5, 6))
    )
    first, second, third = (one.terms[0].term for one in lowered(fact + rules).calls.rules)
    assert isinstance(first, Or)
    assert isinstance(second, Or)
    assert isinstance(third, Or)
    assert first.operands[0] is second.operands[0]
    assert first.operands[0] != third.operands[0]


def test_facts_that_are_computed_from_themselves_are_refused() -> None:
    circle = (
        "def a(call: PayInvoice) -> bool:\n    return b(call)\n\n"
        "def b(call: PayInvoice) -> bool:\n    return a(call)\n\n"
    )

    assert "`a` is computed from itself: a → b → a." in _problems(circle + rule("a(call)"))


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("call.total / call.total > 1", "uses an operator that is not part of the dialect"),
        ("int(call.iban) > 3", "`int(...)` is not allowed"),
        ("call.codes[9] == 'a'", "An element cannot be taken by its place."),
        ("call.total * call.total * call.total * call.total * call.total > 1", "more than 4 values."),
        ("call.total > Decimal('1e9999')", "is not an exact decimal of at most 30 digits"),
        ("call.time - call.time > timedelta(days=99999999)", "This is longer than 10000000 days."),
    ],
)
def test_a_fact_that_would_raise_or_grow_without_bound_is_refused(body: str, sentence: str) -> None:
    fact = f'def is_so(call: PayInvoice) -> bool:\n    """whether it is so"""\n    return {body}\n\n\n'
    assert sentence in _problems(fact + rule("is_so(call)"))


def test_a_fact_is_checked_before_a_rule_reads_it() -> None:
    fact = (
        'def is_so(call: PayInvoice) -> bool:\n    """whether it is so"""\n    return call.totall > 1\n\n\n'
    )
    found = _problems(fact + rule("call.total > 1"))
    assert "totall" in found
    assert found == _problems(fact + rule("call.total > 1 and is_so(call)"))


def test_a_fact_over_words_of_the_user_takes_a_part_of_a_run() -> None:
    """What the user said last is that of no part that begins at a call: maybe nothing was said since."""
    fact = "def is_said(call: PayInvoice, run: Run) -> bool:\n    return 'no' in run.{}\n\n\n"
    body = "is_said(call, run.{}(c for c in run.earlier(BookRoom) if c.succeeded))"
    refused = "Of a part that begins at a call, all that the user said is read. Write run.said."
    assert refused in _problems(fact.format("last_said") + rule(body.format("since")))
    for words, part in (("said", "since"), ("said", "until"), ("last_said", "until")):
        text = fact.format(words) + rule(body.format(part))
        assert f".{words}" in str(lowered(text, HEAD).arguments[-1].expression)


@pytest.mark.parametrize(("tools", "fields"), [(200, 5), (2, 500)])
def test_an_agent_may_have_many_tools_and_fields(tools: int, fields: int) -> None:
    types: list[Json] = [{"type": one} for one in ("string", "number", "integer", "boolean")]
    properties = {f"f{place}": types[place % 4] for place in range(fields)}
    of = Tool("", parameters={"type": "object", "properties": properties, "required": [*properties]})
    spec = AgentSpec("large", tools=tuple(replace(of, name=f"tool_{number}") for number in range(tools)))
    assert stub(agent_types(spec)).count(f"    f{fields - 1}: ") == tools
    policy = lowered_policy(
        'from decimal import Decimal\nfrom agent import Run, Tool0, Tool1\n\nDEFAULT = "deny"\n\n\n'
        'def permit_small(call: Tool0 | Tool1, run: Run) -> bool:\n    """R1: Small."""\n'
        "    return call.f1 + sum(c.f1 for c in run.earlier(Tool0)) < Decimal(9)\n",
        spec,
    )
    values: dict[str, Json] = {name: ("a", 4, 1, True)[place % 4] for place, name in enumerate(properties)}
    run = [call(at, "tool_0", values) for at in range(3)]
    extractor = Extractor(policy.arguments, spec)
    decided = [
        decision_on(compile_policy(policy.terms), extractor.extract(one, Earlier(run, at))).verdict
        for at, one in enumerate(run)
    ]
    assert decided == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]


@pytest.mark.parametrize(
    ("functions", "sentence"),
    [
        (
            "def forbid_it(total: Decimal) -> bool:\n    '''R1: No.'''\n    return True\n",
            "takes a call of the agent",
        ),
        (
            "def forbid_it(call: PayInvoice) -> int:\n    '''R1: No.'''\n    return 1\n",
            "takes a call of the agent",
        ),
        ("def forbid_it(call: PayInvoice) -> bool:\n    return True\n", "has no message"),
        ("def a(call: PayInvoice):\n    return True\n", "does not say what it returns"),
        ("def a(call) -> bool:\n    return True\n", "has no type"),
        ("def contract_a(call: PayInvoice) -> None:\n    call.total\n", "holds only local names and clauses"),
        ("x = 5\n", ""),
        ("import os\n", "is not allowed"),
        ("while True:\n    pass\n", "not allowed at the top"),
        ("from agent import PayInvoices\n", "Did you mean `PayInvoice`?"),
        ("from agent import PayInvoice as P\n", "must keep its name"),
        ("PayInvoice = 5\n", "is a name of the agent's calls"),
        ("def Run(call: PayInvoice) -> bool:\n    return True\n", "is a name of the agent's calls"),
        (
            f"{rule('call.total > 5')}\n\n{rule('call.total > 6')}",
            f"{HEAD.count(chr(10)) + 6}: `forbid_it` is defined twice.",
        ),
        (
            2 * "def contract_a(call: PayInvoice) -> None:\n    Ensures(True)\n\n\n",
            "`contract_a` is defined twice.",
        ),
    ],
)
def test_a_function_of_another_form_is_one_sentence(functions: str, sentence: str) -> None:
    if sentence:
        assert sentence in _problems(functions)
    else:
        assert lowered(functions).terms.constants["x"] == 5


@pytest.mark.parametrize(
    "name", ["send-mail", "mcp__a.b/c", "lambda", "größe-1", "_send", "1st", "time", "tool"]
)
def test_a_tool_may_be_called_by_what_is_no_word_of_python(name: str) -> None:
    """Its class may need a name; what a policy reads of its calls needs none."""
    of = Tool(
        name, parameters={"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
    )
    spec = AgentSpec("mail", tools=(replace(of, class_name="Send"),))
    policy = lowered_policy(
        'from agent import Send\n\nDEFAULT = "allow"\n\n\n'
        'def forbid_a(call: Send) -> bool:\n    """R1: No a."""\n    return call.to == "a"\n',
        spec,
    )
    extractor = Extractor(policy.arguments, spec)
    decided = [
        decision_on(
            compile_policy(policy.terms), extractor.extract(call(0, name, {"to": to}), Earlier([], 0))
        ).verdict
        for to in ("a", "b")
    ]
    assert decided == [Verdict.DENY, Verdict.ALLOW]


def test_the_default_is_said() -> None:
    without = HEAD.replace('DEFAULT = "allow"\n', "")

    assert "does not say what is decided where no rule speaks" in _problems(rule("call.total > 5"), without)
    assert "to allow or to deny" in _problems(rule("call.total > 5"), HEAD.replace('"allow"', '"maybe"'))


def test_a_name_of_an_element_may_be_that_of_another_element_in_a_function() -> None:
    paid = (
        "def paid_to(supplier: str, run: Run) -> Decimal:\n"
        "    return sum(c.total for c in run.earlier(PayInvoice) if c.supplier_id == supplier)\n\n"
    )
    policy = lowered(paid + rule("any(paid_to(c.supplier_id, run) > 5 for c in run.earlier(PayInvoice))"))
    texts = [argument.expression.text for argument in policy.arguments[1:] if argument.expression]

    assert texts == [
        "any(sum(c2.total for c2 in run.earlier(PayInvoice) if c2.supplier_id == c.supplier_id) > "
        'Decimal("5") for c in run.earlier(PayInvoice))'
    ]


def test_functions_that_double_each_other_are_refused() -> None:
    facts = "".join(
        f'def total_{number}(call: PayInvoice) -> Decimal:\n    """total"""\n'
        f"    return total_{number - 1}(call) + total_{number - 1}(call)\n\n\n"
        for number in range(1, 30)
    )
    first = 'def total_0(call: PayInvoice) -> Decimal:\n    """total"""\n    return call.total\n\n\n'

    with pytest.raises(PolicyError, match="called more than 2,000 times"):
        lowered(first + facts + rule("total_29(call) > 1"))


def test_a_rule_about_a_tool_of_the_name_of_a_kind_is_told_its_class() -> None:
    agent = AgentSpec("x", "", (Tool("sql", "", {"type": "object", "properties": {}}),))
    source = """
from agent import Sql
DEFAULT = "allow"

def forbid_it(call: Sql) -> bool:
    'R1: No.'
    return True
"""
    with pytest.raises(PolicyError, match=r"the calls of sql are of another. Write `call: Sql_`"):
        lowered_policy(source, agent)


def test_problems_name_the_file_that_is_asked_about() -> None:
    """A policy whose problems are known is asked about under another name."""
    for path in ("policy.py", "other.py"):
        with pytest.raises(PolicyError) as caught:
            lowered_policy('DEFAULT = "deny"\nA = 0.5\n', spec(), path)
        assert {problem.path for problem in caught.value.problems} == {path}
        assert str(caught.value).startswith(f"{path}:2:5: Float constants are not exact.")
