"""Facts: all earlier values, each as a whole; a task that no list contains has no category."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.extract.everyday_tasks import BREAKING, HARMLESS, first_message
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extracted,
    Extraction,
    Json,
    Kind,
    RecordedCall,
    Verdict,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.runs.extract.extractor import Extractor
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[3]
SHOPS = ("sessions/web-shopping", "sessions/web-shopping-model", "benchmarks/sessions/web-shopping")
ONE = "$.arguments.to"
EACH = "$.arguments.to[*]"


def seen(
    to: Json, *results: str | None, path: str = ONE, optional: bool = False, **options: Json
) -> Extracted:
    """The value of ``seen`` on a call with this argument after calls with these results."""
    extraction = Extraction("history", {"operation": "seen", "of": ["read"], "path": path, **options})
    argument = Argument("seen", ArgumentType(Kind.BOOL, optional=optional), extraction=extraction)
    earlier = [RecordedCall("r", index, "read", {}, result=result) for index, result in enumerate(results)]
    call = RecordedCall("r", len(earlier), "pay", {"to": to})
    return Extractor([argument], AgentSpec("bank", arguments=(argument,))).extract(call, earlier)["seen"]


@pytest.mark.parametrize(
    ("to", "by_all", "by_any"),
    [
        (["ann", "bob"], True, True),
        (["ann", "eve"], False, True),
        (["eve", "ann"], False, True),
        (["eve"], False, False),
        (["ann", "ann"], True, True),
        (["bob", "eve", "ann"], False, True),
        ([1, "ann"], False, True),
        ([500, 7.5], True, True),
        (["ann", "an"], False, True),
        (["mallory", "eve"], False, False),
    ],
)
def test_seen_asks_for_each_value_unless_any_is_said(to: Json, by_all: bool, by_any: bool) -> None:
    results = ("members: ann, 500.00", "members: [bob, 7.50]")
    assert seen(to, *results, path=EACH).value is by_all
    assert seen(to, *results, path=EACH, match="all").value is by_all
    assert seen(to, *results, path=EACH, match="any").value is by_any


@given(
    st.lists(st.sampled_from(["ann", "bob", "eve", "zoe"]), min_size=1),
    st.sets(st.sampled_from(["ann", "bob"])),
)
def test_all_and_any_are_what_python_says(to: list[str], listed: set[str]) -> None:
    result = ", ".join(sorted(listed))
    values: list[Json] = list(to)
    assert seen(values, result, path=EACH).value is all(item in listed for item in to)
    assert seen(values, result, path=EACH, match="any").value is any(item in listed for item in to)


ACCIDENTS = [
    ("1", "paid in 2019"),
    ("12", "invoice 2012"),
    ("DE99", "DE9912345"),
    ("DE99", "account DE99-1"),
    ("ann", "joanna and annabel"),
    ("a.example", "mail x@a.example now"),
    ("a.example", "https://a.example.org"),
    ("http://x.example", "http://x.example/other"),
    ("500", "1,500"),
    ("500", "500.25"),
    (500, "1,500"),
    (500, "1500"),
    (500, "-500"),
    (50, "500"),
]


@pytest.mark.parametrize(("to", "result"), ACCIDENTS)
def test_a_value_inside_another_is_not_seen(to: Json, result: str) -> None:
    assert seen(to, result).value is False
    if isinstance(to, str):
        assert seen(to, result, part=True).value is True


@pytest.mark.parametrize(
    ("to", "result"),
    [
        ("DE99", "Pay to DE99."),
        ("DE99", "IBAN:DE99"),
        ("DE99", '{"iban": "DE99"}'),
        ("DE99", "['DE99', 'CH93']"),
        ("DE89 3704", "send it to DE89 3704, please"),
        ("ann@x.example", "<ann@x.example>"),
        ("http://x.example", "see http://x.example!"),
        (500, "total: $500.00"),
        (500.0, "500 EUR"),
        (0.5, "rate=.50"),
    ],
)
def test_a_whole_value_is_seen_however_a_number_is_written(to: Json, result: str) -> None:
    assert seen(to, result).value is True


@pytest.mark.parametrize("to", ["", "  ", None, True, {"a": 1}, ["ann"], [], float("nan")])
def test_what_is_no_value_cannot_have_been_seen(to: Json) -> None:
    extracted = seen(to, "ann, True, None, nan, {}")
    assert extracted.missing is not None or extracted.value is False


@pytest.mark.parametrize(
    ("to", "path"),
    [
        ([""], EACH),
        (["ann", ""], EACH),
        (["ann", None], EACH),
        ([{"name": "ann"}, {"nick": "eve"}], "$.arguments.to[*].name"),
        ([{"name": "ann"}, "eve"], "$.arguments.to[*].name"),
        ("ann", EACH),
    ],
)
def test_a_list_of_which_one_element_tells_nothing_is_not_determinable(to: Json, path: str) -> None:
    assert seen(to, "ann", path=path).missing is not None


def test_an_empty_list_is_no_reason_to_allow() -> None:
    assert seen([], "ann", path=EACH).missing is not None
    extracted = seen([], "ann", path=EACH, optional=True)
    assert (extracted.value, extracted.missing) == (None, None)


def test_a_result_that_is_not_recorded_leaves_open_what_only_it_could_tell() -> None:
    assert seen("ann", None, "ann").value is True
    assert seen("eve", None, "ann").missing is not None
    assert seen(["ann", "eve"], None, "ann", path=EACH).missing is not None
    assert seen(["ann", "eve"], None, "ann", path=EACH, match="any").value is True


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(WorkbenchError, match="all, any"):
        seen("ann", match="some")
    with pytest.raises(WorkbenchError, match="exclude each other"):
        seen("ann", part=True, pattern="a")


# --- phrases --------------------------------------------------------------------------


def shop(name: str) -> tuple[CompiledPolicy, Extractor]:
    with Session.open(ROOT / name, read_only=True) as session:
        return compile_policy(check(session.policy)), Extractor(session.spec.arguments, session.spec)


def decided(parts: tuple[CompiledPolicy, Extractor], **texts: str) -> Verdict:
    policy, extractor = parts
    extracted = extractor.extract(RecordedCall("r", 0, None, None, texts))
    return policy.decide(
        {name: extracted.value for name, extracted in extracted.items() if extracted.missing is None}
    ).verdict


@pytest.mark.parametrize("name", SHOPS)
def test_no_everyday_task_that_breaks_a_rule_is_allowed(name: str) -> None:
    parts = shop(name)
    for fact, value, tasks in BREAKING.values():
        for task in tasks:
            text = first_message(task, **{fact: value})
            assert decided(parts, agent_input=text) is not Verdict.ALLOW, task
            assert decided(parts, first_user=text, all_user=text) is not Verdict.ALLOW, task
    allowed = [task for task in HARMLESS if decided(parts, agent_input=first_message(task)) is Verdict.ALLOW]
    assert len(allowed) >= len(HARMLESS) // 2


@pytest.mark.parametrize("name", SHOPS)
@pytest.mark.parametrize(
    "task",
    [
        "Add a desk lamp to the cart and book a flight to Oslo.",
        "Buy a wool blanket and rent a car.",
        "Read the opening hours, then do what I said yesterday.",
        "word " * 6000,
    ],
)
def test_a_task_that_fits_two_actions_or_none_is_allowed_only_to_who_may_do_all(name: str, task: str) -> None:
    parts = shop(name)
    policy, extractor = parts
    texts = {"agent_input": first_message(task)}
    extracted = extractor.extract(RecordedCall("r", 0, None, None, texts))
    assert extracted["action"].missing is not None
    facts = {name: found.value for name, found in extracted.items() if found.missing is None}
    actions = next(argument.type.values for argument in policy.terms.arguments if argument.name == "action")
    every = {policy.decide({**facts, "action": action}).verdict for action in actions}
    expected = Verdict.ALLOW if every == {Verdict.ALLOW} else Verdict.CANNOT_EVALUATE
    assert decided(parts, **texts) is expected
    for fact, value, _ in BREAKING.values():
        text = first_message(task, **{fact: value})
        assert decided(parts, agent_input=text) is Verdict.CANNOT_EVALUATE


def test_a_later_message_is_part_of_the_task() -> None:
    first = first_message("Read me the opening hours of the shop.", dr_license=False)
    parts = shop("sessions/web-shopping")
    assert decided(parts, first_user=first, all_user=first) is Verdict.ALLOW
    later = f"{first}\n\nNow get me the Corolla."
    assert (
        decided(parts, first_user=first, all_user=later, user="Now get me the Corolla.") is not Verdict.ALLOW
    )


LISTS: dict[str, Json] = {"categories": {"buy": ["buy"], "fly": ["flight"]}, "text": "user"}
ACTION = ArgumentType(Kind.ENUM, ("buy", "fly", "other"))


def category(text: str, **options: Json) -> Extracted:
    argument = Argument("action", ACTION, extraction=Extraction("phrases", {**LISTS, **options}))
    return Extractor([argument], AgentSpec("shop")).extract(RecordedCall("r", 0, None, None, {"user": text}))[
        "action"
    ]


def test_the_rest_has_a_category_only_where_the_session_says_so() -> None:
    assert category("sing").missing is not None
    assert category("sing", otherwise="other").value == "other"
    assert category("sing", otherwise="other", harmless=["sing"]).value == "other"
    unknown = category("sing a song", otherwise="other", harmless=["sing", "a"]).missing
    assert unknown is not None
    assert "'song'" in unknown
    assert category("", otherwise="other").missing is not None


def test_needs_and_ignored_phrases() -> None:
    needs: Json = {"buy": ["lamp"]}
    assert category("buy a lamp", needs=needs).value == "buy"
    assert "buy" in (category("buy a corolla", needs=needs, otherwise="other").missing or "")
    assert category("buy a flight", needs=needs, confidence=1.0).value == "fly"
    assert category("a flight simulator", ignored=["flight simulator"]).missing is not None
    assert category("a flight, a flight simulator", ignored=["flight simulator"]).value == "fly"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"harmless": ["a"]}, "otherwise"),
        ({"needs": {"other": ["a"]}}, "no phrases"),
        ({"otherwise": "x"}, "none of"),
    ],
)
def test_lists_that_make_no_sense_are_refused(options: dict[str, Json], words: str) -> None:
    with pytest.raises(WorkbenchError, match=words):
        category("a", **options)


def test_null_is_no_value_that_could_have_been_seen() -> None:
    extracted = seen(None, "ann", optional=True)
    assert (extracted.value, extracted.missing) == (None, None)
