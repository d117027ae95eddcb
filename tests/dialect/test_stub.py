"""The stub of an agent: type checkers know from it what a policy may say, and flag what it may not."""

from __future__ import annotations

import ast
import contextlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.dialect.schemas import AGENTS
from tests.dialect.type_checkers import configured, editing, errors
from tests.examples import examples
from workbench.dialect.call_fields import CallField, as_read
from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.dialect.lowered_policy import lowered_policy
from workbench.dialect.stub import MODULE, quoted, stub
from workbench.model import AgentSpec, Kind, Tool, WorkbenchError
from workbench.policy.problems import PolicyError
from workbench.session.agent_file import read_agent

AGENT = """\
name = "desk"

[tools.pay_invoice]
description = "Pays an invoice by bank transfer."

[tools.pay_invoice.parameters]
type = "object"
required = ["iban", "total", "legs", "command", "codes"]

[tools.pay_invoice.parameters.properties]
iban = {type = "string", description = "the account"}
total = {type = "number"}
class = {type = "string"}
date = {type = "string", format = "date"}
due = {type = "string", format = "date"}
cabin = {enum = ["economy", "business"]}
command = {type = "string"}
codes = {type = "array", items = {type = "string"}}
legs = {type = "array", items = {required = ["minutes"], properties = {minutes = {type = "integer"}}}}
payment = {type = "object", properties = {card = {type = "string"}}, required = ["card"]}

[tools.pay_invoice.fields]
command = {type = "command"}
codes = {type = "set"}

[tools.book_room.parameters]
type = "object"
required = ["booking_id", "nights"]
properties = {booking_id = {type = "string"}, nights = {type = "integer"}}

[tools.get_booking]
parameters = {type = "object", properties = {booking_id = {type = "string"}}, required = ["booking_id"]}

[records.booking]
key = "booking_id"
fields.kind = {type = "enum", values = ["room", "journey"]}
fields.starts_at = {type = "datetime"}
look_up = {tool = "get_booking", arguments = {booking_id = "key"}}

[context.budget]
type = "decimal"
description = "what is left this month"
"""
HEAD = '''\
"""The policy of the desk."""

from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import BookRoom, Call, PayInvoice, Run, looked_up

DEFAULT = "allow"

'''
POLICY = (
    HEAD
    + '''
def paid(call: PayInvoice, run: Run) -> Decimal:
    """what was paid in this run, this payment included"""
    return call.total + sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)


def forbid_over_limit(call: PayInvoice, run: Run) -> bool:
    """R1: The total must not exceed the budget."""
    return paid(call, run) > run.context.budget or any(leg.minutes > 600 for leg in call.legs)


def forbid_late(call: BookRoom, run: Run) -> bool:
    """R2: Not later than 48 hours before."""
    booking = run.booking(call.booking_id)
    return booking is None or booking.kind == "room" and booking.starts_at - call.time < timedelta(hours=48)


def forbid_shell(call: PayInvoice, run: Run) -> bool:
    """R3: Nothing is removed, and the account is the user's."""
    return "rm" in call.command.programs or "all_user" not in call.iban.source or "x" in call.codes


def ask_again(call: PayInvoice | BookRoom, run: Run) -> bool:
    """R4: Failed calls are not repeated."""
    again = run.earlier(PayInvoice, BookRoom)
    return any(c.failed and c.time < call.time and "full" in c.result for c in again) or any(
        run.booking(c.booking_id, as_of=c) is None for c in run.earlier(BookRoom)
    )


def permit_any(call: Call, run: Run) -> bool:
    """R5: What was looked up is fine."""
    return call.tool == "book_room" and looked_up(run.booking("B1"))


def paid_before(run: Run) -> Decimal:
    """what was paid earlier"""
    return sum((c.total for c in run.earlier(PayInvoice)), Decimal("0"))


def forbid_many(call: BookRoom, run: Run) -> bool:
    """R7: A record, and the last call, is there where it was tested."""
    return (
        run.booking(call.booking_id) is not None
        and run.booking(call.booking_id).kind == "room"
        and run.last(c for c in run.earlier(PayInvoice) if c.failed) is not None
        and run.last(c for c in run.earlier(PayInvoice) if c.failed).total > paid_before(run)
    )


def forbid_pairs(call: PayInvoice, run: Run) -> bool:
    """R6: Payments are made in order."""
    paid_by = None if call.payment is None else call.payment.card
    return paid_by == call.class_ and any(a.minutes > b.minutes for a, b in zip(call.legs, call.legs))


def contract_pay(call: PayInvoice, run: Run) -> None:
    # R1: The total must not exceed the budget.
    Ensures(Implies(paid(call, run) > Decimal("5000"), not Result()))
'''
)
MISTAKES = (
    ("wrong field", "call: PayInvoice", "call.totl > Decimal(1)", "reportAttributeAccessIssue"),
    ("another type", "call: PayInvoice", 'call.total > "5000"', "reportOperatorIssue"),
    ("outcome of the decided call", "call: PayInvoice", "call.succeeded", "reportAttributeAccessIssue"),
    (
        "field of one tool only",
        "call: PayInvoice | BookRoom",
        "call.nights > 3",
        "reportAttributeAccessIssue",
    ),
    ("missing parameter", "call: PayInvoice", 'call.payment.card == "x"', "reportOptionalMemberAccess"),
    (
        "record as of the decided call",
        "call: BookRoom",
        "run.booking(call.booking_id, as_of=call) is None",
        "reportArgumentType",
    ),
    ("key of another type", "call: BookRoom", "run.booking(call.nights) is None", "reportArgumentType"),
)
PLANTED = HEAD + "".join(
    f'def forbid_{number}({parameter}, run: Run) -> bool:\n    """R1: {what}."""\n    return {test}\n\n'
    for number, (what, parameter, test, _) in enumerate(MISTAKES)
)

CLAUSES = (
    ("Implies(call.total > Decimal(1), not Result())", "", ""),
    ('Implies(call.payment is not None and call.payment.card == "x", not Result())', "", ""),
    ('Implies(run.booking("B1") is not None, run.booking("B1").kind == "room" or Result())', "", ""),
    ('Implies(call.total > "1", not Result())', "reportOperatorIssue", "A Decimal cannot be compared"),
    ("Implies(call.totl > Decimal(1), not Result())", "reportAttributeAccessIssue", "has no field `totl`"),
    ("Implies(call.total, not Result())", "reportArgumentType", "A condition is expected here"),
    ("Implies(call.total > Decimal(1))", "reportCallIssue", "takes a condition and a consequence"),
    ("Implies(not Result(), 5)", "reportArgumentType", "A condition is expected here"),
    ("Implies(not Result(), None)", "reportArgumentType", "`None` can only be used in"),
    ("Implies((t := call.totl) > Decimal(1), Result())", "reportAttributeAccessIssue", "`:=` is not part"),
    ('(t := call.total) > "1" or Result()', "reportOperatorIssue", "`:=` is not part"),
    # Python has it, so that an editor has nothing against it; the checker says what to write.
    ("(t := call.total) > Decimal(1) or Result()", "", "`:=` is not part of the dialect. Assign the name"),
)
"""Clauses, each with the rule by which an editor flags it, and what the checker says of it."""
CONTRACT = HEAD + "".join(
    f"def contract_{number}(call: PayInvoice, run: Run) -> None:\n    # R1: No.\n    Ensures({clause})\n\n"
    for number, (clause, _, _) in enumerate(CLAUSES)
)


ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("sessions", "benchmarks/sessions", "examples")
SESSIONS = sorted(path.parent for folder in FOLDERS for path in (ROOT / folder).glob("*/policy.py"))


def types() -> AgentTypes:
    return agent_types(read_agent(AGENT))


def beside(folder: Path, policy: str, of: AgentTypes | None = None) -> Path:
    """A folder with the stub and a policy."""
    (folder / "agent.pyi").write_text(stub(of or types()))
    (folder / "agent.py").write_text(MODULE)
    (folder / "policy.py").write_text(policy)
    return configured(folder)


def line_of(test: str) -> int:
    return PLANTED[: PLANTED.index(f"return {test}")].count("\n") + 1


WEEKEND = (
    HEAD.replace("import timedelta", "import date, time, timedelta")
    + "\n\ndef forbid_weekend(call: PayInvoice) -> bool:\n"
    '    """R1: Not now."""\n'
    "    return call.time.weekday > 5 or call.time.date > date(2026, 5, 1) or call.time.time < time(8)\n"
)
CALLED = WEEKEND.replace("call.time.date >", "call.time.date() >")


@pytest.fixture(scope="module")
def errors_of(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, set[tuple[int, str]]]:
    """The line and rule of each error in these policies and their stubs, in the checker's default mode.

    It has every error of the mode ``standard``, which is the default of pyright.
    """
    policies = {
        POLICY: "fits",
        WEEKEND: "weekend",
        CALLED: "called",
        PLANTED: "planted",
        CONTRACT: "contract",
    }
    folder = configured(tmp_path_factory.mktemp("policies"), "recommended")
    for policy, name in policies.items():
        (folder / name).mkdir()
        beside(folder / name, policy)
    for session in SESSIONS:
        shutil.copytree(session, folder / session.name, ignore=shutil.ignore_patterns("logs", ".*"))
        policies[(session / "policy.py").read_text()] = session.name
    found = errors(folder)
    return {
        policy: {(error.line, error.rule) for error in found if Path(error.file).parts[0] == name}
        for policy, name in policies.items()
    }


def test_a_policy_of_calls_fits_its_stub(errors_of: Mapping[str, set[tuple[int, str]]]) -> None:
    assert errors_of[POLICY] == set()


@pytest.mark.parametrize("session", SESSIONS, ids=[session.name for session in SESSIONS])
def test_an_editor_has_nothing_against_the_policy_of_a_session(
    session: Path, errors_of: Mapping[str, set[tuple[int, str]]]
) -> None:
    assert errors_of[(session / "policy.py").read_text()] == set()


def test_the_parts_of_times_are_what_a_policy_has(errors_of: Mapping[str, set[tuple[int, str]]]) -> None:
    assert errors_of[WEEKEND] == set()
    assert lowered_policy(WEEKEND, read_agent(AGENT)).terms.rules
    assert {rule for _, rule in errors_of[CALLED]} == {"reportCallIssue"}
    with pytest.raises(PolicyError):
        lowered_policy(CALLED, read_agent(AGENT))


def test_planted_mistakes_are_flagged(errors_of: Mapping[str, set[tuple[int, str]]]) -> None:
    assert errors_of[PLANTED] == {(line_of(test), rule) for _, _, test, rule in MISTAKES}


@pytest.mark.parametrize(
    ("what", "parameter", "test", "_rule"),
    [
        *MISTAKES,
        ("record that may be absent", "call: BookRoom", 'run.booking(call.booking_id).kind == "room"', ""),
        ("last call that may be absent", "call: BookRoom", "run.last(run.earlier(BookRoom)).nights > 1", ""),
    ],
)
def test_what_an_editor_flags_is_a_mistake_of_the_policy_too(
    what: str, parameter: str, test: str, _rule: str
) -> None:
    rule = f'def forbid_one({parameter}, run: Run) -> bool:\n    """R1: {what}."""\n    return {test}\n'
    with pytest.raises(PolicyError):
        lowered_policy(HEAD + rule, read_agent(AGENT))


def test_an_editor_flags_the_clauses_that_are_mistakes(
    errors_of: Mapping[str, set[tuple[int, str]]],
) -> None:
    lines = {text.strip(): line for line, text in enumerate(CONTRACT.split("\n"), 1)}
    assert errors_of[CONTRACT] == {(lines[f"Ensures({clause})"], rule) for clause, rule, _ in CLAUSES if rule}


@pytest.mark.parametrize(("clause", "_rule", "said"), CLAUSES, ids=[clause for clause, _, _ in CLAUSES])
def test_what_an_editor_flags_in_a_clause_the_checker_flags_too(clause: str, _rule: str, said: str) -> None:
    contract = (
        f"def contract_one(call: PayInvoice, run: Run) -> None:\n    # R1: one.\n    Ensures({clause})\n"
    )
    if not said:
        assert len(lowered_policy(HEAD + contract, read_agent(AGENT)).terms.clauses) == 1
        return
    with pytest.raises(PolicyError, match=re.escape(said)):
        lowered_policy(HEAD + contract, read_agent(AGENT))


def test_the_server_of_an_editor_flags_them_and_completes_the_fields(tmp_path: Path) -> None:
    beside(tmp_path, PLANTED)
    typed = "def forbid_typed(call: PayInvoice, run: Run) -> bool:\n    return call."
    with editing(tmp_path) as editor:
        editor.open("policy.py", PLANTED)
        found = {(error.line, error.rule) for error in editor.errors("policy.py")}
        assert found == {(line_of(test), rule) for _, _, test, rule in MISTAKES}
        editor.open("typed.py", HEAD + typed)
        last = (HEAD + typed).split("\n")
        offered = editor.completions("typed.py", len(last) - 1, len(last[-1]))
    fields = [name for name in offered if not name.startswith("_")]
    of_call = [name for name, _ in types().calls["PayInvoice"].decided.fields if "." not in name]
    assert sorted(fields) == sorted(["tool", *of_call])


def test_the_stub_says_what_the_parameters_are() -> None:
    text = stub(types())
    assert '    """the account"""' in text
    assert '    budget: Decimal\n    """what is left this month"""' in text
    assert '    cabin: Literal["economy", "business"] | None' in text
    assert "    class_: Text | None" in text
    assert "    date: _date | None" in text, "the field `date` hides the type"
    assert "    due: _date | None" in text
    assert "from datetime import date as _date\nfrom datetime import datetime\n" in text
    assert "\nfrom datetime import time as _time\n" in text
    assert "    command: Command" in text
    assert "    codes: frozenset[Text]" in text
    assert "    def booking(self, key: str, /, *, as_of: _Outcome = ...) -> Booking | Any:" in text


def test_the_stub_is_written_as_ruff_formats_it(tmp_path: Path) -> None:
    (tmp_path / "agent.pyi").write_text(stub(types()))
    (tmp_path / "agent.py").write_text(MODULE)
    for words in (["format", "--check"], ["check", "--select", "E,F,I"]):
        ruff = [
            Path(sys.executable).with_name("ruff"),
            *words,
            "--isolated",
            "--line-length",
            "110",
            tmp_path,
        ]
        done = subprocess.run(ruff, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_hostile_descriptions_and_names_are_text() -> None:
    hostile = '"""\nimport os\nos.system("x")\n\\'
    tool = Tool(
        f'pay"{hostile}',
        hostile,
        {"properties": {"a": {"enum": [hostile, "\u202e", "\ud800"], "description": hostile}}},
    )
    of = agent_types(AgentSpec("desk", tools=(replace(tool, class_name="Pay"),)))
    text = stub(of)
    text.encode()
    tree = ast.parse(text)
    assert not any(
        isinstance(node, ast.Call) and ast.unparse(node.func) == "os.system" for node in ast.walk(tree)
    )
    (pay,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Pay")
    literal = next(
        node for node in pay.body if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "a"
    )
    texts = [
        node.value for node in ast.walk(literal.annotation) if isinstance(node, ast.Constant) and node.value
    ]
    assert texts == [hostile, "\u202e", "\ud800"]


def test_a_literal_is_what_it_was() -> None:
    for text in ("", '"', "\\", "\x00\x85\u2028\U0001f600\ud83d", "{}", "é"):
        assert ast.literal_eval(quoted(text)) == text


@settings(max_examples=examples(300), deadline=None)
@given(AGENTS)
def test_any_schemas_give_a_stub_or_a_sentence(spec: AgentSpec) -> None:
    try:
        of = agent_types(spec)
    except WorkbenchError as error:
        assert str(error).endswith(".")
        return
    text = stub(of)
    text.encode()
    ast.parse(text)
    assert stub(agent_types(spec)) == text
    written = {node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
    assert set(of.calls) <= written
    assert all(reason.endswith(".") for reason in of.unreadable.values())


def uses(name: str, fields: tuple[CallField, ...], depth: int) -> Iterator[str]:
    """Statements that use every field of a value."""
    indent = "    " * depth
    for one in fields:
        place, type_ = f"{name}.{one.name}", as_read(one)
        inner = f"v{depth}"
        yield f"{indent}{inner} = {place}"
        yield f"{indent}if {inner} is not None:" if type_.optional else f"{indent}if True:"
        yield f"{indent}    print({inner})"
        if one.fields and type_.kind is Kind.RECORD:
            yield from uses(inner, one.fields, depth + 1)
        elif one.fields:
            yield f"{indent}    for e{depth} in {inner}:"
            yield f"{indent}        print(e{depth})"
            yield from uses(f"e{depth}", one.fields, depth + 2)
        elif type_.kind is Kind.DECIMAL:
            yield f"{indent}    print({inner} + Decimal(1))"
        elif type_.kind is Kind.STR:
            yield f"{indent}    print({inner}.startswith('a'))"
        elif type_.kind in (Kind.DATE, Kind.DATETIME):
            yield f"{indent}    print({inner} - timedelta(days=1))"


def policy_with_all(of: AgentTypes) -> str:
    """A policy that uses every field of every call."""
    lines = ["from datetime import timedelta", "from decimal import Decimal"]
    lines += [f"from agent import {name}" for name in (*of.calls, "Run")]
    for number, call in enumerate(of.calls.values()):
        lines.append(f"def uses_{number}(call: {call.name}, run: Run) -> None:")
        lines += ["    print(call.tool, call.time, timedelta, Decimal)", *uses("call", call.fields, 1)]
        lines += [f"    for c in run.earlier({call.name}):", "        print(c.succeeded, c.failed, c.result)"]
    return "\n".join(lines) + "\n"


@pytest.mark.slow
def test_policies_that_use_every_field_of_any_agents_fit_their_stubs(tmp_path: Path) -> None:
    folder, numbers = configured(tmp_path), count()

    @settings(max_examples=examples(4), deadline=None, phases=[Phase.generate])
    @given(st.lists(AGENTS, min_size=10, max_size=10))
    def write(specs: list[AgentSpec]) -> None:
        for spec in specs:
            (inner := folder / f"agent_{next(numbers)}").mkdir()
            with contextlib.suppress(WorkbenchError):  # two classes of one name
                of = agent_types(spec)
                (inner / "agent.pyi").write_text(stub(of))
                (inner / "agent.py").write_text(MODULE)
                (inner / "policy.py").write_text(policy_with_all(of))

    write()
    assert len(list(folder.glob("*/policy.py"))) > 20
    assert errors(folder) == []
