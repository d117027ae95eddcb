"""An airline's policy in prose, authored from answers in a file: its sentences as read, and the decisions.

Run: python benchmarks/airline_authoring.py [--keep FOLDER] [--answers FILE] DATA

DATA has ``policy.md``, ``tools.json``, ``runs.json`` and ``labels.jsonl`` of the airline desk. The policy is
used unchanged. The table of rules compares two sets of denials: those by the sentences of each rule, and
those by the same rule in the session that was written by hand (``sessions/airline-desk``). Both are on all
recorded calls, and on calls made from them by one alteration, each at the end of its run. A call that cannot
be evaluated counts as denied.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from time import perf_counter
from typing import Any, cast

from workbench.app.answer_file import read_answers
from workbench.app.labelled_calls import read_labels
from workbench.app.new_session import new_session
from workbench.app.workbench import Workbench
from workbench.model import CallDecision, Sentence, SentenceRole, Verdict

HERE = Path(__file__).parent
BY_HAND = HERE / "sessions" / "airline-desk"
# The checkable rules of the policy: the rules of the session by hand, and words of the rule's sentences.
RULES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "the user said yes before a change": (("without_agreement",), ("explicit user confirmation",)),
    "looked up first": (
        ("change_of_unknown_reservation",),
        ("obtain the user id and", "id, the reservation"),
    ),
    "at most five passengers": (("six_passengers",), ("at most five passengers",)),
    "one certificate, one card, three gift cards": (("payment_method_counts",), ("at most one travel",)),
    "payment methods in a profile that was looked up": (
        ("payment_in_profile", "unknown_customer", "unknown_certificate"),
        ("must already be in user profile", "then ask for the trip type"),
    ),
    "changes are paid by card or gift card": (
        ("change_paid_by_card_or_gift_card",),
        ("needs to provide one gift card or credit card",),
    ),
    "basic economy is not modified": (("basic_economy_not_modified",), ("Basic economy flights cannot",)),
    "bags never fewer": (("fewer_bags",), ("can add but not remove",)),
    "number of passengers unchanged": (
        ("other_number_of_passengers",),
        ("cannot modify the number of passengers",),
    ),
    "cancelled within 24 hours, in business, insured; nothing flown": (
        ("cancellation_conditions",),
        ("within 24 hours", "Otherwise, basic economy", "that is not flown", "segments are already used"),
    ),
    "who is compensated, and how much": (("compensation",), ("complains about", "Do not compensate")),
    "free bags by membership and cabin": (("baggage_allowance",), ("free checked bag",)),
    "same origin and destination": (("unknown_flights", "other_route"), ("changing the origin",)),
}

type Call = dict[str, Any]


# --- altered calls ----------------------------------------------------------------


def altered(tool: str, call: Call) -> Iterator[tuple[str, Call]]:
    """Calls that each differ from a recorded one by one alteration: tool and arguments."""
    if tool in ("book_reservation", "update_reservation_baggages"):
        bags = int(call["total_baggages"])
        yield tool, {**call, "nonfree_baggages": int(call["nonfree_baggages"]) + 1}
        yield tool, {**call, "nonfree_baggages": 0, "total_baggages": bags + 3}
        yield tool, {**call, "total_baggages": 0, "nonfree_baggages": 0}
    if tool == "book_reservation":
        person = call["passengers"][0]
        yield tool, {**call, "passengers": [person] * 6}
        yield tool, {**call, "passengers": [person] * 5}
        paid = call["payment_methods"][0]
        yield tool, {**call, "payment_methods": [paid] * 2}
        yield tool, {**call, "payment_methods": [paid] * 4}
        yield tool, {**call, "payment_methods": [{**paid, "payment_id": "gift_card_0"}]}
        for cabin in ("basic_economy", "economy", "business"):
            yield tool, {**call, "cabin": cabin, "total_baggages": 2, "nonfree_baggages": 0}
    if tool in ("update_reservation_flights", "update_reservation_baggages"):
        yield tool, {**call, "payment_id": "certificate_0"}
    if tool == "update_reservation_flights":
        first, *rest = call["flights"]
        yield tool, {**call, "flights": [{**first, "flight_number": "HAT999"}, *rest]}
        yield tool, {**call, "flights": [{**first, "date": "2024-05-29"}, *rest]}
        yield tool, {**call, "flights": [first]}
    if tool == "send_certificate":
        yield tool, {**call, "amount": 1}
        yield tool, {**call, "amount": 100}
    if tool == "get_reservation_details":
        person = {"first_name": "Ann", "last_name": "Lee", "dob": "1990-01-01"}
        yield "cancel_reservation", call
        for number in (1, 2):
            yield "update_reservation_passengers", {**call, "passengers": [person] * number}
    if "reservation_id" in call and tool != "get_reservation_details":
        yield tool, {**call, "reservation_id": "ZZZZZZ"}


def altered_runs(runs: Sequence[Call], most: int) -> Iterator[Call]:
    """A run for each altered call, up to that call; at most ``most`` recorded calls of a tool are altered."""
    seen: Counter[str] = Counter()
    number = 1000
    for run in runs:
        messages = run["traj"]
        for place, message in enumerate(messages):
            for call in message.get("tool_calls") or ():
                name, call_arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
                looked_up = name == "get_reservation_details"
                seen[name] += 1
                if seen[name] > most:
                    continue
                for tool, arguments in altered(name, call_arguments):
                    number += 1
                    until = messages[: place + 2] if looked_up else messages[:place]
                    altered_call = deepcopy(call)
                    altered_call["id"] = f"altered_{number}"
                    altered_call["function"] = {"name": tool, "arguments": json.dumps(arguments)}
                    last = {"role": "assistant", "content": None, "tool_calls": [altered_call]}
                    answer_messages = [{"role": "user", "content": "Yes, go ahead."}] if number % 4 else []
                    yield {"task_id": number, "trial": 0, "traj": [*until, *answer_messages, last]}


# --- the report -------------------------------------------------------------------


def decided(
    session: Path, logs: Sequence[Path]
) -> tuple[tuple[CallDecision, ...], Mapping[str, frozenset[str]]]:
    """Every call of the logs, decided by a session, and the requirements of each of its rules."""
    with closing(Workbench.open(session, read_only=True)) as bench:
        terms = bench.policy.terms()
        loaded = bench.runs.load(list(logs), None)
        rules = {rule.name: frozenset(rule.requirements) for rule in terms.rules}
        return tuple(bench.runs.decide(terms, loaded)), rules


def ends(sentences: Sequence[Sentence], note_by_sentence: Mapping[str, str]) -> Iterator[str]:
    """A line for each sentence: its number, how it was read (requirement, context, open), and its text."""
    for number, sentence in enumerate(sentences, 1):
        match sentence.role:
            case SentenceRole.REQUIREMENT:
                end = (
                    f"requirement {', '.join(sentence.requirements)}{note_by_sentence.get(sentence.text, '')}"
                )
            case SentenceRole.CONTEXT:
                end = f"context: {sentence.why}"
            case SentenceRole.OPEN:
                end = "open"
        yield f"{number:3} {end:60} {sentence.text[:70]}"


def compared(
    ours: Sequence[CallDecision],
    rules: Mapping[str, frozenset[str]],
    theirs: Sequence[CallDecision],
    sentences: Sequence[Sentence],
) -> Iterator[str]:
    """A row for each rule: the number of calls that the rule by hand denies, and that its sentences deny."""
    hand = {(call_decision.run, call_decision.index): call_decision for call_decision in theirs}
    for name, (written, words) in RULES.items():
        stated = {
            id_
            for sentence in sentences
            if any(word in sentence.text for word in words)
            for id_ in sentence.requirements
        }
        counts: Counter[tuple[bool, bool]] = Counter()
        passed = 0
        for call_decision in ours:
            violations = hand[call_decision.run, call_decision.index].decision.violations
            fired = {violation.rule.removeprefix("forbid_") for violation in violations}
            own = {
                id_
                for violation in call_decision.decision.violations
                for id_ in rules.get(violation.rule, ())
            }
            unsure = call_decision.decision.verdict is Verdict.CANNOT_EVALUATE
            denied = bool(fired & set(written))
            counts[denied, unsure or bool(own & stated)] += 1
            passed += denied and call_decision.decision.verdict is Verdict.ALLOW
        yield (
            f"| {name} | {counts[True, True] + counts[True, False]} | {counts[True, True]} "
            f"| {counts[True, False]} | {passed} | {counts[False, True]} |"
        )


def main() -> int:
    """Author the policy, and print how its sentences were read and the decisions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--answers", type=Path, metavar="FILE", default=HERE / "answers" / "airline.toml")
    parser.add_argument("--most", type=int, default=6, help="recorded calls of a tool that are altered")
    options = parser.parse_args()
    log, started = options.data / "runs.json", perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch) / "airline"
        session = new_session(
            folder, options.data / "policy.md", agent=options.data / "tools.json", logs=[log], author="rules"
        )
        with closing(session.workbench) as bench:
            entries, settings = read_answers(options.answers.read_text("utf-8"), str(options.answers))
            answers_taken = bench.answers.take(entries, settings, None)
            sentences = bench.request.draft().sentences
            note_by_sentence = {
                sentence.text: ", written by hand" for sentence in sentences if _by_hand(bench, sentence)
            }
        print("\n".join(ends(sentences, note_by_sentence)))
        roles = Counter(sentence.role.value for sentence in sentences)
        choices = sum(entry.choices for entry in answers_taken.taken)
        stated = len(sentences) - roles["context"]
        print(
            f"\n{len(sentences)} sentences: " + ", ".join(f"{count} {role}" for role, count in roles.items())
        )
        print(f"{choices} choices, {choices / stated:.1f} for each that is no context; "
              f"{perf_counter() - started:.0f} s")  # fmt: skip
        for entry, why in answers_taken.refused:
            print(f"The answer about “{entry.about}” was not taken: {why}")
        sys.stdout.flush()
        altered_log = Path(scratch) / "altered.json"
        runs = cast("list[Call]", json.loads(log.read_text("utf-8")))
        altered_log.write_text(json.dumps(list(altered_runs(runs, options.most))), encoding="utf-8")
        recorded, rules = decided(folder, [log])
        more, _ = decided(folder, [altered_log])
        by_hand = [*decided(BY_HAND, [log])[0], *decided(BY_HAND, [altered_log])[0]]
    labels = read_labels(options.data / "labels.jsonl")
    counts = Counter(
        (
            call_decision.decision.verdict is not Verdict.ALLOW,
            labels[call_decision.run, call_decision.index].denied,
        )
        for call_decision in recorded
    )
    breaking = counts[True, True] + counts[False, True]
    print(
        f"\n{len(recorded)} recorded calls; {counts[True, True]} of {breaking} that break a rule are denied,"
    )
    print(f"and {counts[True, False]} others")
    print(f"{len(more)} calls of altered runs\n")
    print(
        "| rule | denied by hand | also by its sentences | by hand only | of them allowed | by these only |"
    )
    print("|---|---:|---:|---:|---:|---:|")
    print("\n".join(compared([*recorded, *more], rules, by_hand, sentences)))
    return 0


def _by_hand(bench: Workbench, sentence: Sentence) -> bool:
    assumptions = bench.request.assumptions
    return any(
        assumption.value == "by-hand" and sentence.text in assumption.statement for assumption in assumptions
    )


if __name__ == "__main__":
    sys.exit(main())
