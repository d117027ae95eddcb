"""Whole requests of five different agents become policies whose contract is provable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.author.specs_for_author import BANKING, EMAIL, HOSPITAL, SHELL, SHOPPING
from tests.runs.world.airline_agent import airline_spec
from workbench.author.rules import RulesAuthor
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import preview
from workbench.model import AgentSpec, Draft, Kind, ProofStatus, SentenceRole, Value
from workbench.policy.check import check

SESSIONS = Path(__file__).parents[3] / "sessions"
HOSPITAL_REQUEST = (SESSIONS / "hospital-access" / "request.md").read_text(encoding="utf-8")
SHOPPING_REQUEST = (SESSIONS / "web-shopping" / "request.md").read_text(encoding="utf-8")
SAME_ROLE = {"vocabulary:general-admission": "general administration"}
BY_SENTENCE = {"contradiction:bb44d4ba": "message"}

BANKING_REQUEST = """# Payments

The assistant pays bills for one customer.

1. The agent may not send more than 1,000 EUR to unknown recipients.
2. The agent must not schedule payments of at least 5000.50 EUR.
3. The agent must not schedule payments in USD.
4. Reading files is allowed.
5. Everything else is allowed.
"""
EMAIL_REQUEST = """# Mail

- Emails may be sent by the assistant.
- The agent may send emails only to addresses ending with @example.com.
- Never delete emails unless the user confirmed it.
- All other actions are allowed.
"""
SHELL_REQUEST = """## Files

- Never write files under /etc.
- The agent may read files only in /home/me/project.
- The agent must not run commands starting with "rm ".
- Deleting files is forbidden.

Any other action is allowed.
"""


def draft(request: str, spec: AgentSpec, choices: Mapping[str, str] | None = None) -> Draft:
    return RulesAuthor().draft(request, spec, choices or {})


def allows(drafted: Draft, **arguments: Value) -> bool:
    return compile_policy(check(drafted.policy)).allows(arguments)


@pytest.mark.parametrize(
    ("request_text", "spec", "choices"),
    [
        (HOSPITAL_REQUEST, HOSPITAL, {}),
        (HOSPITAL_REQUEST, HOSPITAL, SAME_ROLE),
        (SHOPPING_REQUEST, SHOPPING, {}),
        (SHOPPING_REQUEST, SHOPPING, BY_SENTENCE),
        (SHOPPING_REQUEST, SHOPPING, {"contradiction:bb44d4ba": "condition"}),
        (BANKING_REQUEST, BANKING, {}),
        (EMAIL_REQUEST, EMAIL, {}),
        (SHELL_REQUEST, SHELL, {}),
        (SHELL_REQUEST, SHELL, {"missing:command": "ignore"}),
        ("", SHOPPING, {}),
        ("", SHOPPING, {"default-decision": "allow"}),
    ],
)
def test_every_draft_is_in_the_dialect_and_its_contract_is_proved(
    request_text: str, spec: AgentSpec, choices: dict[str, str]
) -> None:
    proof = preview(check(draft(request_text, spec, choices).policy))
    assert [clause for clause in proof.clauses if clause.status is not ProofStatus.PROVED] == []
    assert proof.status is ProofStatus.PROVED


def test_hospital_roles_read_exactly_their_columns() -> None:
    drafted = draft(HOSPITAL_REQUEST, HOSPITAL, SAME_ROLE)
    assert allows(drafted, role="physician", columns=frozenset({"diagnosis.icd9code", "lab.labname"}))
    assert not allows(drafted, role="nursing", columns=frozenset({"lab.labname", "diagnosis.icd9code"}))
    assert allows(drafted, role="general administration", columns=frozenset({"cost.cost"}))
    assert not allows(drafted, role="general administration", columns=frozenset({"lab.labname"}))


def test_a_role_named_otherwise_reads_nothing_until_it_is_confirmed() -> None:
    drafted = draft(HOSPITAL_REQUEST, HOSPITAL)
    (question,) = drafted.doubts
    assert (question.id, question.default) == ("vocabulary:general-admission", "different")
    assert "General admission" in HOSPITAL_REQUEST[question.span.start : question.span.end]
    assert not allows(drafted, role="general administration", columns=frozenset({"cost.cost"}))
    assert not allows(drafted, role="general administration", columns=frozenset())


def test_a_card_that_contradicts_itself_denies_what_either_side_denies() -> None:
    drafted = draft(SHOPPING_REQUEST, SHOPPING)
    (question,) = drafted.doubts
    assert (question.id, question.default, question.blocking) == ("contradiction:bb44d4ba", "", True)
    profile = {"age": 30, "domestic": True, "dr_license": True, "membership": True}
    for vaccine in (True, False):
        assert not allows(drafted, action="book_flight", vaccine=vaccine, **profile)
    for side, flies in (("message", True), ("condition", False)):
        chosen = draft(SHOPPING_REQUEST, SHOPPING, {"contradiction:bb44d4ba": side})
        assert allows(chosen, action="book_flight", vaccine=flies, **profile)
        assert not allows(chosen, action="book_flight", vaccine=not flies, **profile)
        assert [question.id for question in chosen.doubts] == ["contradiction:bb44d4ba"]


@pytest.mark.parametrize(
    ("sentence", "condition"),
    [
        ("Users who are vaccinated and over 65 may not book a hotel.", "vaccine and age >= 65"),
        ("Users who are vaccinated and older than 65 may not book a hotel.", "vaccine and age > 65"),
        ("Users who are vaccinated or over 65 may not book a hotel.", "(vaccine or age >= 65)"),
        ("Users who are not vaccinated and under 18 may not book a hotel.", "not vaccine and age <= 18"),
        ("Users who are vaccinated and 65 and over may not book a hotel.", "vaccine and age >= 65"),
        ("Deny hotel bookings for users who are vaccinated and over 65.", "vaccine and age >= 65"),
        ("Deny hotel bookings for users who are vaccinated or over 65.", "(vaccine or age >= 65)"),
        ("Never book a hotel for someone who is a member and at most 17.", "membership and age <= 17"),
        ("Deny hotel bookings for users under 18.", "age <= 18"),
    ],
)
def test_a_word_and_a_comparison_about_users_are_read_together(sentence: str, condition: str) -> None:
    drafted = draft(sentence, SHOPPING)
    assert f'    return action == "book_hotel" and {condition}\n' in drafted.policy
    assert not [question for question in drafted.doubts if question.blocking]


@pytest.mark.parametrize(
    "sentence",
    [
        "Deny hotel bookings for users who are vaccinated and for members.",
        "Deny hotel bookings for users who are vaccinated and over 65 and for members.",
        "Deny hotel bookings for users over 65 and members.",
        "Deny hotel bookings for users who are vaccinated and flight bookings.",
        "Deny hotel bookings for users who are vaccinated and over 65 or under 18.",
        "Deny hotel bookings for users who are vaccinated and over 65 days late.",
    ],
)
def test_a_list_that_may_go_on_with_something_else_is_asked_about(sentence: str) -> None:
    assert any(question.blocking for question in draft(sentence, SHOPPING).doubts)


def test_the_arguments_of_a_draft_are_those_of_the_spec_in_its_order() -> None:
    assert draft(SHOPPING_REQUEST, SHOPPING).arguments == SHOPPING.arguments
    assert draft(HOSPITAL_REQUEST, HOSPITAL).arguments == HOSPITAL.arguments


def test_banking_limits_are_exact() -> None:
    from decimal import Decimal

    drafted = draft(BANKING_REQUEST, BANKING)

    def pays(tool: str, amount: str, *, known: bool, currency: str = "EUR") -> bool:
        return allows(drafted, tool=tool, amount=Decimal(amount), currency=currency, recipient_is_known=known)

    assert pays("send_money", "1000.00", known=False)
    assert not pays("send_money", "1000.01", known=False)
    assert pays("send_money", "9999", known=True)
    assert pays("schedule_payment", "5000.49", known=True)
    assert not pays("schedule_payment", "5000.50", known=True)
    assert not pays("schedule_payment", "1", known=True, currency="USD")
    assert pays("get_balance", "0", known=False)


def test_mail_goes_only_to_the_domain() -> None:
    drafted = draft(EMAIL_REQUEST, EMAIL)
    assert allows(drafted, tool="send_email", recipient="a@example.com", confirmed=False)
    assert not allows(drafted, tool="send_email", recipient="a@example.com.evil.org", confirmed=True)
    assert not allows(drafted, tool="delete_email", recipient="", confirmed=False)
    assert allows(drafted, tool="delete_email", recipient="", confirmed=True)


def test_arguments_of_an_undeclared_spec_come_from_the_tools() -> None:
    drafted = draft(SHELL_REQUEST, SHELL)
    assert [(item.name, item.type.optional) for item in drafted.arguments] == [
        ("tool", False),
        ("path", True),
        ("command", True),
    ]
    assert allows(drafted, tool="read_file", path="/home/me/project/a.py", command=None)
    assert not allows(drafted, tool="read_file", path="/home/me/projects/a.py", command=None)
    assert not allows(drafted, tool="read_file", path=None, command=None)
    assert not allows(drafted, tool="write_file", path="/etc/passwd", command=None)
    assert not allows(drafted, tool="run_command", path=None, command="rm -r x")
    assert allows(drafted, tool="run_command", path=None, command="rmdir x")
    assert not allows(drafted, tool="delete_file", path="/tmp/x", command=None)


def test_a_missing_value_is_denied_unless_the_rule_is_to_be_ignored() -> None:
    assert not allows(draft(SHELL_REQUEST, SHELL), tool="run_command", path=None, command=None)
    ignoring = draft(SHELL_REQUEST, SHELL, {"missing:command": "ignore"})
    assert allows(ignoring, tool="run_command", path=None, command=None)


@pytest.mark.parametrize(
    ("request_text", "spec"),
    [
        (HOSPITAL_REQUEST, HOSPITAL),
        (SHOPPING_REQUEST, SHOPPING),
        (BANKING_REQUEST, BANKING),
        (SHELL_REQUEST, SHELL),
    ],
)
def test_every_sentence_is_accounted_for_with_its_place(request_text: str, spec: AgentSpec) -> None:
    drafted = draft(request_text, spec)
    covered = set[int]()
    for sentence in drafted.sentences:
        assert request_text[sentence.span.start : sentence.span.end].split()[0] in sentence.text
        covered.update(range(sentence.span.start, sentence.span.end))
        assert bool(sentence.requirements) == (sentence.role is SentenceRole.REQUIREMENT)
    left = "".join(character for place, character in enumerate(request_text) if place not in covered)
    assert not re.search(r"[A-Za-z]", left)
    known = {requirement.id for requirement in drafted.requirements}
    assert {id_ for sentence in drafted.sentences for id_ in sentence.requirements} <= known


def _refuted(policy: str) -> set[str]:
    return {
        id_
        for clause in preview(check(policy)).clauses
        if clause.status is ProofStatus.REFUTED
        and clause.counterexample is not None
        and clause.counterexample.confirmed
        for id_ in clause.requirements
    }


def test_changing_one_column_of_one_role_refutes_the_clause_of_that_role() -> None:
    policy = draft(HOSPITAL_REQUEST, HOSPITAL, SAME_ROLE).policy
    start, end = policy.index("READABLE"), policy.index("def forbid")
    table = policy[start:end]
    parts = dict(zip(("R1", "R2", "R3"), re.split(r"(?=\n    \"[a-z ]+\": \{)", table)[1:], strict=True))
    for requirement, part in parts.items():
        for removed in re.findall(r'"\w+\.\w+",', part)[::7]:
            changed = policy.replace(table, table.replace(part, part.replace(removed, "", 1)))
            assert _refuted(changed) == {requirement}
        unlisted = '"cost.costid",'
        changed = policy.replace(table, table.replace(part, part.replace(": {", ": {" + unlisted, 1)))
        assert _refuted(changed) == {requirement}


@pytest.mark.parametrize(
    ("old", "new", "requirement"),
    [
        ("age < 18", "age < 17", "R3"),
        ("age < 18", "age < 19", "R3"),
        ("age < 18", "age <= 18", "R3"),
        ("age < 15", "age > 15", "R4"),
        ("and not dr_license", "and dr_license", "R1"),
        ('== "search_media" and', '== "other" and', "R2"),
        ("and not vaccine", "and vaccine", "R6"),
        ("or forbid_purchase_by_membership(action, membership)\n", "", "R5"),
    ],
)
def test_changing_one_comparison_of_the_shop_refutes_its_own_clause(
    old: str, new: str, requirement: str
) -> None:
    policy = draft(SHOPPING_REQUEST, SHOPPING, BY_SENTENCE).policy
    head, contract = policy.split("def allow(", 1)
    if old in head:
        changed = f"{head.replace(old, new, 1)}def allow({contract}"
    else:
        name = old.split("(")[0].removeprefix("or ")
        body = re.sub(rf"(def {name}\(.*?return )[^\n]*", r"\1False", head, flags=re.S)
        changed = f"{body}def allow({contract}"
    assert changed != policy
    assert requirement in _refuted(changed)


def test_role_tables_are_read_in_every_notation() -> None:
    columns = {"physician": ["lab.labname", "allergy.drugname"], "nursing": ["lab.labname"]}
    lines = "\n".join(f"{role.capitalize()}: {', '.join(listed)}" for role, listed in columns.items())
    rows = "\n".join(
        f"| {role} | {column.split('.')[0]} | {column.split('.')[1]} |"
        for role, listed in columns.items()
        for column in listed
    )
    nested = "\n".join(
        f"- {role}:\n" + "\n".join(f"  - {column.replace('.', ': ')}" for column in listed)
        for role, listed in columns.items()
    )
    headed = "\n\n".join(
        f"### {role} may read\n" + "\n".join(column.replace(".", ": ") for column in listed)
        for role, listed in columns.items()
    )
    for text in (lines, f"| Role | Database | Columns |\n|---|---|---|\n{rows}", nested, headed):
        drafted = draft(text, HOSPITAL)
        assert drafted.doubts == (), text
        for role in ("physician", "nursing", "general administration"):
            for column in ("lab.labname", "allergy.drugname", "cost.cost"):
                allowed = allows(drafted, role=role, columns=frozenset({column}))
                assert allowed == (column in columns.get(role, [])), (text, role, column)


def test_an_agent_with_records_and_lists_is_drafted_by_what_the_language_can_say() -> None:
    spec = airline_spec()
    drafted = draft("# Desk\n\nA sentence of nothing.\n", spec)
    argument_names = {argument.name for argument in check(drafted.policy).arguments}
    assert argument_names <= {
        argument.name for argument in spec.arguments if argument.type.kind not in (Kind.RECORD, Kind.LIST)
    }
