"""Sentences about the order of calls: their denials in runs, against an oracle that counts by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.author.specs_for_author import SHOP
from workbench.author.rules import RulesAuthor
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Draft, RecordedCall, Run, SentenceRole, Verdict
from workbench.policy.check import check
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import replay


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the shop's agent: its subject, and whether it failed."""

    tool: str
    thing: str
    method: str = "sms"
    failed: bool = False

    def recorded_call(self, index: int) -> RecordedCall:
        key = "customer_id" if self.tool in ("verify_identity", "delete_account") else "order_id"
        method = {"method": self.method} if self.tool == "verify_identity" else {}
        result = '{"error": "no"}' if self.failed else '{"done": true}'
        return RecordedCall("run", index, self.tool, {key: self.thing, **method}, result=result)


CALLS = st.lists(
    st.builds(
        Call,
        st.sampled_from([tool.name for tool in SHOP.tools]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["sms", "document"]),
        st.booleans(),
    ),
    max_size=7,
)
GET, CANCEL, REFUND, VERIFY = "get_order", "cancel_order", "issue_refund", "verify_identity"
# A sentence, the tool that comes first, the tools that wait for it, and whether both concern the same thing.
ORDERS = [
    ("Get the order before cancelling it.", GET, {CANCEL}, True),
    ("Refunds are only allowed after getting the order.", GET, {REFUND}, True),
    ("Always verify the customer's identity before issuing a refund.", VERIFY, {REFUND}, False),
    ("The identity must be verified before a refund is issued.", VERIFY, {REFUND}, False),
    ("Before cancelling an order, verify the identity.", VERIFY, {CANCEL}, False),
    ("Never issue a refund without verifying the identity first.", VERIFY, {REFUND}, False),
    ("A refund may be issued only once the identity has been verified.", VERIFY, {REFUND}, False),
    ("Never refund unless the identity was verified.", VERIFY, {REFUND}, False),
    ("A refund may only be issued if the identity has been verified.", VERIFY, {REFUND}, False),
    ("Never refund or cancel an order before verifying the identity.", VERIFY, {REFUND, CANCEL}, False),
    ("An account may only be deleted after its order was cancelled.", CANCEL, {"delete_account"}, False),
]


def drafted(sentence: str, answers: dict[str, str] | None = None) -> Draft:
    return RulesAuthor().draft(f"{sentence}\n\nEverything else is allowed.\n", SHOP, answers or {})


def denied(draft: Draft, calls: Sequence[Call]) -> list[bool]:
    """The calls of a run that are not allowed, each decided as if the earlier ones ran."""
    spec = replace(SHOP, arguments=draft.arguments)
    policy = compile_policy(check(draft.policy))
    run = Run("run", tuple(call.recorded_call(index) for index, call in enumerate(calls)), "test")
    return [
        decision.decision.verdict is not Verdict.ALLOW
        for decision in replay(policy, Extractor(draft.arguments, spec), [run])
    ]


@pytest.mark.parametrize("order", ORDERS, ids=[order[0] for order in ORDERS])
@given(calls=CALLS)
def test_a_call_waits_for_an_earlier_one_that_succeeded(
    order: tuple[str, str, set[str], bool], calls: list[Call]
) -> None:
    sentence, first, waiting, same = order
    expected = [
        call.tool in waiting
        and not any(
            earlier_call.tool == first
            and not earlier_call.failed
            and (earlier_call.thing == call.thing or not same)
            for earlier_call in calls[:place]
        )
        for place, call in enumerate(calls)
    ]
    assert denied(drafted(sentence), calls) == expected


def test_whether_the_earlier_call_is_about_the_same_thing_is_asked_and_followed() -> None:
    sentence = "Get the order before cancelling it."
    calls = [Call("get_order", "a"), Call("cancel_order", "b")]
    (doubt,) = [open_doubt for open_doubt in drafted(sentence).doubts if open_doubt.kind == "same-thing"]
    assert denied(drafted(sentence), calls)[1]
    assert not denied(drafted(sentence, {doubt.id: "any"}), calls)[1]


def test_how_the_earlier_call_was_made_counts_where_it_is_said() -> None:
    draft = drafted("An account may be deleted only once the identity was verified by document.")
    for method in ("sms", "document"):
        calls = [Call("verify_identity", "a", method), Call("delete_account", "a")]
        assert denied(draft, calls)[1] is (method == "sms")


def test_all_of_what_comes_first_is_needed_or_one_of_it_as_it_is_said() -> None:
    calls = [Call("get_order", "a"), Call("issue_refund", "a")]
    both = drafted("Get the order and verify the identity before issuing a refund.")
    either = drafted("Get the order or verify the identity before issuing a refund.")
    assert (denied(both, calls)[1], denied(either, calls)[1]) == (True, False)


def test_nothing_may_follow_where_a_sentence_says_so() -> None:
    draft = drafted("After an account is deleted, nothing else may be done.")
    calls = [Call("get_order", "a"), Call("delete_account", "a"), Call("get_order", "a")]
    assert denied(draft, calls) == [False, False, True]


@pytest.mark.parametrize(
    "sentence",
    [
        "Confirm with the customer before deleting an account.",
        "Ask before deleting an account.",
        "Check before refunding.",
        "Never refund if the order was cancelled.",
        "Do not delete an account when an order is cancelled.",
        "A manager has to verify the identity before a refund is issued.",
        "Orders must be cancelled before they are shipped.",
        "Verify the identity of the courier before issuing a refund.",
        "Never cancel an order before cancelling it.",
        "Never cancel an order without a reason.",
        "The identity and the address must be verified before a refund is issued.",
    ],
)
def test_what_names_no_two_calls_is_asked_about(sentence: str) -> None:
    assert drafted(sentence).sentences[0].role is SentenceRole.OPEN
