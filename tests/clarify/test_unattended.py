"""Without a person the most restrictive reading is taken that fits the cases and the request."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.author.specs_for_author import SHOPPING
from tests.clarify.planted_troubles import SHOPPING_REQUEST
from tests.question_ids import bound, conflict
from workbench.app.workbench import Workbench
from workbench.author.rules import RulesAuthor
from workbench.clarify import Situation, TakenDefault, find_questions, unattended
from workbench.clarify.examples import allows
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.model import Arguments, Case, CaseOrigin, Verdict
from workbench.policy.check import check

AUTHOR = RulesAuthor()
HOTEL = "Users under 18 may not book a hotel."
REST = "Everything else is allowed."
SHOP = Path(__file__).parents[2] / "sessions" / "web-shopping"
PROFILE: dict[str, str | int | bool] = {
    "action": "book_hotel",
    "age": 30,
    "domestic": True,
    "dr_license": True,
    "vaccine": True,
    "membership": True,
}
EVERYONE: tuple[Arguments, ...] = tuple(
    {**PROFILE, "action": action, "age": age, "vaccine": vaccine, "membership": member}
    for action, age, vaccine, member in product(
        ("book_hotel", "book_flight", "purchase"), (17, 18, 19, 64, 65, 66), (True, False), (True, False)
    )
)
SENTENCES = (
    HOTEL,
    "Members may book a hotel.",
    "Users over 65 may not book a flight.",
    "Nobody may book a hotel.",
    "Users may book a flight if they are members.",
    "Only members may purchase anything.",
    "Only non-members may purchase anything.",
    "Any user but members may book a flight.",
    "Action: book a flight\nCondition: vaccine == false\nMessage: Unvaccinated users may not book a flight.",
)

PERMITTING = (
    ("Members may book a hotel.", "book_hotel", True),
    ("Any user but members may book a flight.", "book_flight", False),
    ("Users may book a flight if they are members.", "book_flight", True),
)


def case(expected: Verdict, origin: CaseOrigin = "human", **changes: str | int | bool) -> Case:
    return Case("wanted", {**PROFILE, **changes}, expected, "A person wants it so.", origin=origin)


def situation(request: str) -> Situation:
    return Situation(request, SHOPPING, AUTHOR.draft(request, SHOPPING, {}), {}, AUTHOR)


def run(request: str, cases: Sequence[Case] = ()) -> dict[str, TakenDefault]:
    return {
        taken_default.question.id: taken_default for taken_default in unattended(situation(request), cases)
    }


def policy(request: str, choices: Mapping[str, str]) -> CompiledPolicy:
    return compile_policy(check(AUTHOR.draft(request, SHOPPING, choices).policy))


def test_without_cases_the_restrictive_defaults_are_taken_and_need_no_reason() -> None:
    defaults = run(f"{HOTEL}\nMembers may book a hotel.")
    assert {id_: (taken_default.value, taken_default.why) for id_, taken_default in defaults.items()} == {
        conflict("Members may book a hotel.", HOTEL): ("forbid", ""),
        "default-decision": ("deny", ""),
        bound(HOTEL, "age"): ("included", ""),
    }


def test_a_case_that_the_default_fails_changes_what_is_taken_and_says_so() -> None:
    flight = "Users over 65 may not book a flight."
    request, about = f"{flight}\n{HOTEL}\n{REST}", bound(flight, "age")
    defaults = run(request, [case(Verdict.ALLOW, action="book_flight", age=65)])
    assert defaults[about].value == "excluded"
    assert "the case wanted" in defaults[about].why
    assert defaults[bound(HOTEL, "age")].value == "included"
    generated = [case(Verdict.ALLOW, "generated", action="book_flight", age=65)]
    assert run(request, generated)[about].value == "included"


def test_a_case_that_no_reading_meets_does_not_decide_among_them() -> None:
    request = f"{HOTEL}\nEverything else is allowed."
    defaults = run(request, [case(Verdict.ALLOW, age=12), case(Verdict.DENY, age=40)])
    assert defaults[bound(HOTEL, "age")].value == "included"


def test_a_sentence_that_plainly_permits_is_not_left_without_effect() -> None:
    defaults = run("Members may book a hotel.\nNobody may book a hotel.\nEverything else is allowed.")
    (taken_default,) = defaults.values()
    assert (taken_default.question.kind, taken_default.value) == ("conflict", "permit")
    assert "“Members may book a hotel.”" in taken_default.why


def test_what_has_no_safe_reading_stays_open_until_a_case_decides_it() -> None:
    assert run(SHOPPING_REQUEST) == {}
    defaults = run(SHOPPING_REQUEST, [case(Verdict.ALLOW, action="book_flight", vaccine=True)])
    assert {id_: taken_default.value for id_, taken_default in defaults.items()} == {
        "contradiction:bb44d4ba": "message"
    }


def test_what_nobody_could_read_is_never_taken_for_context() -> None:
    assert run("Never do odd things.\nNever book hotels more than 3 times per day.\n" + REST) == {}


def test_with_many_questions_those_that_a_case_needs_together_are_decided_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sentences = (
        "Users over 65 may not book a flight if they are members.",
        "Vaccinated users over 65 may not book a flight.",
    )
    request = "\n".join((*sentences, REST))
    both = {bound(sentence, "age"): "excluded" for sentence in sentences}
    wanted = case(Verdict.ALLOW, action="book_flight", age=65)
    together = run(request, [wanted])
    monkeypatch.setattr("workbench.clarify.unattended_run.READINGS", 1)
    assert {id_: taken_default.value for id_, taken_default in run(request, [wanted]).items()} == both
    assert {id_: taken_default.value for id_, taken_default in together.items()} == both
    monkeypatch.setattr("workbench.clarify.unattended_run.GROUP", 1)
    assert {taken_default.value for taken_default in run(request, [wanted]).values()} == {"included"}


def test_with_many_questions_groups_of_them_are_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    request = "\n".join([*SENTENCES[:3], "Everything else is allowed."])
    cases = [case(Verdict.ALLOW, action="book_flight", age=65)]
    whole = {id_: taken_default.value for id_, taken_default in run(request, cases).items()}
    assert "excluded" in whole.values()
    monkeypatch.setattr("workbench.clarify.unattended_run.READINGS", 1)
    assert {id_: taken_default.value for id_, taken_default in run(request, cases).items()} == whole


def leaves_something(policy: CompiledPolicy, request: str) -> bool:
    """Whether for each sentence of the request some plainly permitted call is allowed."""
    return all(
        any(
            allows(policy, arguments)
            for arguments in EVERYONE
            if arguments["action"] == action and arguments["membership"] is member
        )
        for sentence, action, member in PERMITTING
        if sentence in request
    )


@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_what_is_taken_is_never_more_permissive_than_another_consistent_reading(data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3, unique=True))
    request = "\n\n".join([*chosen, data.draw(st.sampled_from(["", "Everything else is allowed."]))])
    current = situation(request)
    questions = [
        question for question in find_questions(current) if not (question.free_text and question.blocking)
    ]
    readings = [
        dict(zip([question.id for question in questions], values, strict=True))
        for values in product(*([option.value for option in question.options] for question in questions))
    ]
    wanted = policy(request, data.draw(st.sampled_from(readings)))
    inputs = data.draw(st.lists(st.sampled_from(EVERYONE), max_size=3))
    cases = [
        Case(
            str(place),
            arguments,
            Verdict.ALLOW if allows(wanted, arguments) else Verdict.DENY,
            "",
            origin="human",
        )
        for place, arguments in enumerate(inputs)
    ]
    ours = policy(
        request,
        {taken_default.question.id: taken_default.value for taken_default in unattended(current, cases)},
    )
    assert all(
        allows(ours, known_case.arguments) == (known_case.expected is Verdict.ALLOW) for known_case in cases
    )
    allowed = {place for place, arguments in enumerate(EVERYONE) if allows(ours, arguments)}
    for choices in readings:
        other = policy(request, choices)
        fits = all(
            allows(other, known_case.arguments) == (known_case.expected is Verdict.ALLOW)
            for known_case in cases
        )
        if fits and leaves_something(other, request):
            assert (
                not {place for place, arguments in enumerate(EVERYONE) if allows(other, arguments)} < allowed
            )


# --- in a session


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copied = Path(shutil.copytree(SHOP, tmp_path / "shop"))
    (copied / "accepted.toml").unlink()  # what an answer widens is not looked at here
    wanted = case(Verdict.ALLOW, action="book_flight", vaccine=True)
    with Workbench.open(copied).session as session:
        session.set_cases((*session.cases, wanted))
    return copied
