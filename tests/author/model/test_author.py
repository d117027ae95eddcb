"""The author that asks a model: both shipped requests from prose to a contract that the solver proves."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path

import pytest

from tests.author.model.model_server import Behaviour, model_server
from tests.author.model.scripted_model import Script, analysis, cases, clauses, doubt, rules, scripted_author
from workbench.author.model.author import OpenAIAuthor
from workbench.author.model.client import ModelClient
from workbench.author.model.errors import ModelError
from workbench.author.model.recording import RecordedModelCalls
from workbench.author.model.settings import ModelSettings
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import preview
from workbench.model import Draft, Json, ProofStatus, SentenceRole, Verdict
from workbench.policy.check import check
from workbench.session import Session

SESSIONS = Path(__file__).resolve().parents[3] / "sessions"
MESSAGES = {
    "R1": "Users without a driver's licence may not buy or rent a car.",
    "R2": "Users who live abroad may not search for media.",
    "R3": "Users under 18 may not book a hotel.",
    "R4": "Users under 15 may not apply for a job.",
    "R5": "Users who are not members may not purchase anything.",
    "R6": "Unvaccinated users may not book a flight.",
    "R7": "All other actions are allowed.",
}
ACTIONS = {
    "R1": ("buy_or_rent_car", "dr_license", "not dr_license"),
    "R2": ("search_media", "domestic", "not domestic"),
    "R3": ("book_hotel", "age >= 18", "age < 18"),
    "R4": ("apply_for_job", "age >= 15", "age < 15"),
    "R5": ("purchase", "membership", "not membership"),
}
SENTENCE = "Vaccinated users may book a flight, unvaccinated users may not."
CONDITION = "Unvaccinated users may book a flight, vaccinated users may not."
USES: Json = {"rules": [{"rule": "R1", "arguments": [], "lacking": ""}]}


def shopping() -> dict[str, list[object]]:
    """Replies for the shop; R3 is too permissive at first, and R5 not in the dialect."""
    replies: dict[str, list[object]] = {
        "analysis": [
            analysis(
                *((quote, quote) for quote in MESSAGES.values()),
                title="What the web assistant may do",
                doubts=[doubt("vaccine == false", "Who may book a flight?", SENTENCE, CONDITION)],
            )
        ],
        "arguments": [USES],
        "rules R6": [_flight_rules],
        "contract R6": [_flight_contract],
        "rules R7": [rules()],
        "contract R7": [clauses(('action == "other"', "allow"))],
        "cases": [cases()],
        "cases R3": [cases((shopper("book_hotel", 17), "deny"), (shopper("book_hotel", 18), "allow"))],
    }
    for id_, (action, allowed, denied) in ACTIONS.items():
        replies[f"rules {id_}"] = [rules((action, f'action == "{action}" and {denied}'))]
        replies[f"contract {id_}"] = [
            clauses(
                (f'action == "{action}" and {denied}', "deny"),
                (f'action == "{action}" and {allowed}', "allow"),
            )
        ]
    replies["rules R3"].insert(0, rules(("book_hotel", 'action == "book_hotel" and age < 17')))
    replies["rules R5"].insert(
        0, rules(("purchase", 'user.get("action") == "purchase" and os.getuid() == 0'))
    )
    return replies


def shopper(action: str, age: int = 30) -> Mapping[str, Json]:
    arguments = dict.fromkeys(("domestic", "dr_license", "vaccine", "membership"), True)
    return {"action": action, "age": age, **arguments}


def _flight(prompt: str) -> str:
    return "vaccine" if CONDITION in prompt else "not vaccine"


def _flight_rules(prompt: str) -> Json:
    return rules(("flight", f'action == "book_flight" and {_flight(prompt)}'))


def _flight_contract(prompt: str) -> Json:
    denied = _flight(prompt)
    allowed = "vaccine" if denied == "not vaccine" else "not vaccine"
    book = 'action == "book_flight"'
    return clauses((f"{book} and {denied}", "deny"), (f"{book} and {allowed}", "allow"))


def script(replies: Mapping[str, list[object]]) -> Script:
    return Script(replies)  # pyright: ignore[reportArgumentType]  replies of each test


def draft_of(
    name: str, replies: Mapping[str, list[object]], choices: Mapping[str, str] | None = None
) -> Draft:
    with (
        Session.open(SESSIONS / name, read_only=True) as session,
        scripted_author(script(replies)) as author,
    ):
        return author.draft(session.request, session.spec, choices or {})


def answered(draft: Draft, statement: str) -> dict[str, str]:
    return {
        question.id: option.value
        for question in draft.questions
        for option in question.options
        if option.statement == statement
    }


ALLOWS: Mapping[str, Callable[[int, Mapping[str, bool]], bool]] = {
    "buy_or_rent_car": lambda _, profile: profile["dr_license"],
    "search_media": lambda _, profile: profile["domestic"],
    "book_hotel": lambda age, _: age >= 18,
    "apply_for_job": lambda age, _: age >= 15,
    "purchase": lambda _, profile: profile["membership"],
    "book_flight": lambda _, profile: profile["vaccine"],
    "other": lambda _, __: True,
}
"""The cards of the request, with the sentence of the last one."""


def test_the_shop_goes_from_prose_to_what_its_cards_say_by_way_of_a_wrong_draft() -> None:
    chosen = answered(draft_of("web-shopping-model", shopping()), SENTENCE)
    model = script(shopping())
    with (
        Session.open(SESSIONS / "web-shopping-model", read_only=True) as session,
        scripted_author(model) as author,
    ):
        drafting = author.drafting(session.request, session.spec, chosen)
    terms = check(drafting.draft.policy)
    policy, facts = compile_policy(terms), ("dr_license", "domestic", "membership", "vaccine")
    profiles = [dict(zip(facts, values, strict=True)) for values in product((True, False), repeat=len(facts))]
    for action, age, profile in product(ALLOWS, (14, 15, 17, 18), profiles):
        decision = policy.decide({"action": action, "age": age, **profile})
        assert (decision.verdict is Verdict.ALLOW) == ALLOWS[action](age, profile)
    assert preview(terms).status is ProofStatus.PROVED
    first, last = drafting.rounds[0], drafting.rounds[drafting.best]
    assert first.score < last.score
    assert any("Too permissive: for" in text and "age = 17" in text for text in first.critique)
    assert last.critique == ()
    assert "age < 17" in first.policy
    # The lines of a card are one rule: its quotation is the card.
    for requirement, message in zip(drafting.draft.requirements, MESSAGES.values(), strict=True):
        assert requirement.text == message
        assert requirement.quote.endswith(message)
    assert all(
        session.request[requirement.span.start : requirement.span.end] == requirement.quote
        for requirement in drafting.draft.requirements
    )
    assert len(drafting.cases) == 2


def test_what_is_not_in_the_dialect_goes_back_with_the_reason_and_is_never_in_the_policy() -> None:
    model = script(shopping())
    with (
        Session.open(SESSIONS / "web-shopping-model", read_only=True) as session,
        scripted_author(model) as author,
    ):
        draft = author.draft(session.request, session.spec, {})
    first, second = model.prompts("rules R5")[:2]
    assert "cannot be used as it is" not in first
    assert "cannot be used as it is" in second
    assert "os.getuid" in second.split("cannot be used as it is")[1]
    assert "os." not in draft.policy


def test_the_constraint_generator_never_sees_the_policy() -> None:
    model = script(shopping())
    with (
        Session.open(SESSIONS / "web-shopping-model", read_only=True) as session,
        scripted_author(model) as author,
    ):
        author.draft(session.request, session.spec, {})
    for purpose, prompt in model.sent_prompts:
        if purpose.startswith("contract"):
            assert "forbid_" not in prompt
            assert "age < 17" not in prompt


def test_an_open_doubt_forbids_what_either_reading_forbids_and_an_answer_decides_it() -> None:
    opened = draft_of("web-shopping-model", shopping())
    (question,) = opened.questions
    assert question.quote == "vaccine == false"
    assert question.requirements == ("R6",)
    assert question.default == ""
    policy = compile_policy(check(opened.policy))
    for vaccine in (True, False):
        assert policy.decide({**flight(vaccine)}).verdict is Verdict.DENY
    for statement, allowed in ((SENTENCE, True), (CONDITION, False)):
        draft = draft_of("web-shopping-model", shopping(), answered(opened, statement))
        decided = compile_policy(check(draft.policy))
        assert decided.decide(flight(allowed)).verdict is Verdict.ALLOW
        assert decided.decide(flight(not allowed)).verdict is Verdict.DENY
        assert draft.requirements[5].assumptions == (question.id,)


def flight(vaccine: bool) -> Mapping[str, bool | int | str]:
    arguments = dict.fromkeys(("domestic", "dr_license", "membership"), True)
    return {"action": "book_flight", "age": 30, "vaccine": vaccine, **arguments}


# --- the hospital -----------------------------------------------------------------

ROLES = {"R1": "physician", "R2": "nursing", "R3": "general administration"}
SAME = "“General admission” is the role “general administration”."
OTHER = "“General admission” is a role that the agent does not have; what it may read holds for no role."


def hospital() -> dict[str, list[object]]:
    """Replies for the hospital; nursing lacks a column at first, which the contract shows."""
    with Session.open(SESSIONS / "hospital-access", read_only=True) as session:
        entries = check(session.policy).tables["READABLE"].entries
    quotes = ("Physicians may read:", "Nursing staff may read:", "General admission may read:")
    replies: dict[str, list[object]] = {
        "analysis": [
            analysis(
                (
                    "Each role may read only the databases and columns listed for it below.",
                    "Only what is listed.",
                ),
                *((quote, f"{quote} only the columns listed.") for quote in quotes),
                doubts=[doubt("General admission", "Which role is general admission?", SAME, OTHER)],
            )
        ],
        "arguments": [USES],
        "rules R1": [rules()],
        "contract R1": [clauses()],
        "cases": [cases()],
    }
    for number, role in enumerate(ROLES.values(), 2):
        entry = entries[role]
        assert isinstance(entry, frozenset)
        columns = sorted(map(str, entry))
        when = f'role == "{role}" and any(column not in LISTED for column in columns)'
        first = columns[1:] if role == "nursing" else columns
        replies[f"rules R{number}"] = [
            rules((f"unlisted_{role.split()[0]}", when), LISTED=first),
            rules((f"unlisted_{role.split()[0]}", when), LISTED=columns),
        ]
        replies[f"contract R{number}"] = [
            clauses(
                (when, "deny"),
                (f'role == "{role}" and all(column in LISTED for column in columns)', "allow"),
                LISTED=columns,
            )
        ]
    closed = rules(("unlisted_general", 'role == "general administration"'))
    listed, contract = replies["rules R4"][1], replies["contract R4"][0]
    denied = clauses(('role == "general administration"', "deny"))

    def rules_of(prompt: str) -> object:
        return closed if OTHER in prompt else listed

    def contract_of(prompt: str) -> object:
        return denied if OTHER in prompt else contract

    replies["rules R4"], replies["contract R4"] = [rules_of], [contract_of]
    return replies


def test_the_hospital_goes_from_prose_to_the_shipped_policy() -> None:
    # The request states no rule for the rest, so the model's statement about it becomes a question.
    rest = {"default:otherwise": "allow"}
    opened = draft_of("hospital-access-model", hospital(), rest)
    question, otherwise, announcing = opened.questions
    assert (otherwise.id, otherwise.default) == ("default:otherwise", "deny")
    assert (announcing.requirements, announcing.blocking) == (("R1",), False)
    # Reading the role as an unknown one allows nothing that the other reading denies: it is the safe default.
    assert {option.value: option.statement for option in question.options}[question.default] == OTHER
    closed = compile_policy(check(opened.policy))
    desk: Mapping[str, str | frozenset[str]] = {
        "role": "general administration",
        "columns": frozenset({"cost.cost"}),
    }
    assert closed.decide(desk).verdict is Verdict.DENY
    draft = draft_of("hospital-access-model", hospital(), {**rest, **answered(opened, SAME)})
    terms = check(draft.policy)
    policy = compile_policy(terms)
    with Session.open(SESSIONS / "hospital-access", read_only=True) as session:
        entries = check(session.policy).tables["READABLE"].entries
    readable = {str(role): entry for role, entry in entries.items() if isinstance(entry, frozenset)}
    columns = {str(column) for entry in readable.values() for column in entry}
    for role, column in product(readable, columns):
        decision = policy.decide({"role": role, "columns": frozenset({column})})
        assert (decision.verdict is Verdict.ALLOW) == (column in readable[role])
    assert preview(terms).status is ProofStatus.PROVED
    assert compile_policy(terms).decide(desk).verdict is Verdict.ALLOW
    assert all(sentence.role is not SentenceRole.OPEN for sentence in draft.sentences)


# --- records ----------------------------------------------------------------------


def test_a_recorded_draft_is_drafted_again_without_a_server_and_byte_for_byte() -> None:
    calls = RecordedModelCalls()
    with Session.open(SESSIONS / "web-shopping-model", read_only=True) as session:
        with scripted_author(script(shopping()), calls) as author:
            live = author.drafting(session.request, session.spec, {})
        records = calls.calls
        again = OpenAIAuthor(
            ModelClient(ModelSettings("scripted"), RecordedModelCalls(records), replay_only=True)
        )
        replayed = again.drafting(session.request, session.spec, {})
        assert replayed == live
        with pytest.raises(ModelError, match="never recorded"):
            again.draft(session.request + "\nNobody may open pages.", session.spec, {})


def test_requirements_are_asked_about_at_the_same_time_within_the_limit_of_the_endpoint() -> None:
    model, together, running, most = script(shopping()), threading.Barrier(2), set[int](), list[int]()

    def answer(body: dict[str, Json]) -> str:
        running.add(threading.get_ident())
        most.append(len(running))
        if re.search(r"\"rules_R[12]\"", json.dumps(body["response_format"])):
            together.wait(60)  # if one of the two waits for the other, this breaks and fails the draft
        running.discard(threading.get_ident())
        return model.answer(body)

    with (
        Session.open(SESSIONS / "web-shopping-model", read_only=True) as session,
        model_server(Behaviour(answer=answer)) as server,
    ):
        client = ModelClient(
            ModelSettings("scripted", server.url, parallel=2), RecordedModelCalls(), key=lambda: "k"
        )
        draft = OpenAIAuthor(client).draft(session.request, session.spec, {})
    assert max(most) == 2
    assert draft.policy == draft_of("web-shopping-model", shopping()).policy
