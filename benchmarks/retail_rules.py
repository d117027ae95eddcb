"""All rules of a retail desk as a policy of calls, against labels of recorded runs.

Run: python benchmarks/retail_rules.py DATA [--session SESSION] [--list]

DATA has ``runs.jsonl`` and ``labels.jsonl`` of the retail desk (``tau_retail``). The policy is that of
``sessions/retail-desk``, or of another session. A call that cannot be evaluated is refused; the second row
leaves those out. The program that found the labels says of which it is doubtful: the first table leaves
those calls out. Since hardly any recorded call breaks most of the rules, calls that do are made from the
recorded ones that break none, each decided at its place in the run: none may be allowed. ``--list`` prints
each wrong result with its reason. Nothing is learnt from the labels.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from workbench.engines.compiled.compile import compile_policy
from workbench.model import CallDecision, Json, RecordedCall, Run, Verdict, WorkbenchError
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay.decide import decision_on, replay
from workbench.runs.world.earlier_calls import Earlier
from workbench.session import Session

_CANCEL, _ADDRESS = "cancel_pending_order", "modify_pending_order_address"
_PAYMENT, _ITEMS = "modify_pending_order_payment", "modify_pending_order_items"
_RETURN, _EXCHANGE = "return_delivered_order_items", "exchange_delivered_order_items"
_OF_DELIVERED = {_RETURN, _EXCHANGE}
_ONCE = {_CANCEL, _ADDRESS, _PAYMENT, _ITEMS, _RETURN, _EXCHANGE}
_STREET: dict[str, Json] = {
    "address1": "1 Made Up Way", "address2": "", "city": "Nowhere", "state": "NW", "country": "USA",
    "zip": "00000",
}  # fmt: skip
DESK = Path(__file__).parent / "sessions" / "retail-desk"


@dataclass(frozen=True, slots=True)
class Label:
    """The rules that a call breaks, and those of which it is doubtful whether it does."""

    breaks: frozenset[str]
    doubtful: frozenset[str]


@dataclass(frozen=True, slots=True)
class Judged:
    """A decided call with its label."""

    decision: CallDecision
    label: Label

    @property
    def verdict(self) -> Verdict:
        """The decision of the policy."""
        return self.decision.decision.verdict

    @property
    def refused(self) -> bool:
        """Whether the call is not allowed."""
        return self.verdict is not Verdict.ALLOW

    @property
    def fired(self) -> frozenset[str]:
        """The rules that deny the call."""
        return frozenset(each.rule for each in self.decision.decision.violations)


def labels_of(path: Path) -> dict[tuple[str, int], Label]:
    """The label of each call of the retail desk's tools, by run and place."""
    found: dict[tuple[str, int], Label] = {}
    for line in path.read_text("utf-8").splitlines():
        value = cast("dict[str, Json]", json.loads(line))
        breaks, doubtful = value["breaks"], value.get("doubtful", {})
        if not isinstance(breaks, list) or not isinstance(doubtful, dict):
            raise WorkbenchError(f"{path}: a line has no list of the rules that its call breaks.")
        place = str(value["id"]), cast("int", value["call"])
        found[place] = Label(frozenset(map(str, breaks)), frozenset(doubtful))
    return found


def judged(
    session: Session, runs: Sequence[Run], labels: Mapping[tuple[str, int], Label]
) -> Iterator[Judged]:
    """The labelled calls, decided by the session's policy."""
    policy = compile_policy(session.evaluated().terms)
    for one in replay(policy, Extractor(session.spec.arguments, session.spec), runs):
        label = labels.get((one.run, one.index))
        if label is not None:
            yield Judged(one, label)


def row(guard: str, refused: Sequence[Judged], calls: Sequence[Judged]) -> str:
    """A row of the table: how many calls are refused, rightly, wrongly, and missed."""
    breaking = sum(bool(one.label.breaks) for one in calls)
    right = sum(bool(one.label.breaks) for one in refused)
    wrong, others = len(refused) - right, len(calls) - breaking
    return (
        f"| {guard} | {len(calls)} | {breaking} | {right} | {breaking - right} | {wrong} | "
        f"{_share(right, breaking)} | {_share(wrong, others)} |"
    )


def table(calls: Sequence[Judged], *, doubtful: bool) -> Iterator[str]:
    """The table of the policy and its controls, with or without the calls whose label is doubtful."""
    kept = [one for one in calls if doubtful or not one.label.doubtful]
    yield "| guard | calls | breaking | refused | missed | wrongly | of breaking | of others |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    yield row("the policy", [one for one in kept if one.refused], kept)
    yield row("its denials alone", [one for one in kept if one.verdict is Verdict.DENY], kept)
    yield row("deny all", kept, kept)
    yield row("allow all", [], kept)


def by_label(calls: Sequence[Judged]) -> Iterator[str]:
    """A row for each rule of the labels: the calls that break it for certain, and what became of them."""
    yield "| label | calls that break it | denied | cannot be evaluated | allowed |"
    yield "|---|---:|---:|---:|---:|"
    for name in sorted({name for one in calls for name in one.label.breaks}):
        breaking = [one for one in calls if name in one.label.breaks - one.label.doubtful]
        counts = Counter(one.verdict for one in breaking)
        yield (
            f"| {name} | {len(breaking)} | {counts[Verdict.DENY]} | {counts[Verdict.CANNOT_EVALUATE]} | "
            f"{counts[Verdict.ALLOW]} |"
        )


def by_rule(session: Session, calls: Sequence[Judged]) -> Iterator[str]:
    """A row for each rule of the policy: the calls that it denies, and how many of them break something."""
    yield "| rule | denies | of them breaking | doubtful |"
    yield "|---|---:|---:|---:|"
    for rule in session.evaluated().terms.rules:
        denied = [one for one in calls if rule.name in one.fired]
        breaking = sum(bool(one.label.breaks) for one in denied)
        doubtful = sum(bool(one.label.doubtful) for one in denied)
        yield f"| {rule.name} | {len(denied)} | {breaking} | {doubtful} |"


def altered(call: RecordedCall) -> Iterator[tuple[str, RecordedCall]]:
    """Calls that break a rule, each with what it tries, made from a call that breaks none."""
    given: dict[str, Json] = dict(call.arguments or {})
    yield from _of_other_tools(call, given)
    for name, values in _of_values(call, given):
        for value in values:
            yield name, replace(call, arguments={**given, **value})
    yield from _of_items(call, given)


def _of_other_tools(call: RecordedCall, given: Mapping[str, Json]) -> Iterator[tuple[str, RecordedCall]]:
    """Calls of other tools for the same order, whose status does not permit them."""
    order: dict[str, Json] = {"order_id": given.get("order_id")}
    needless: Json = "no longer needed"
    others: list[tuple[str, str, dict[str, Json]]] = []
    if call.tool in _OF_DELIVERED:
        others = [
            ("a delivered order is cancelled", _CANCEL, {"reason": needless}),
            ("a delivered order is sent elsewhere", _ADDRESS, _STREET),
            ("a delivered order is paid otherwise", _PAYMENT, {"payment_method_id": "paypal_1"}),
        ]
    elif call.tool in (_CANCEL, _ITEMS):
        items = given.get("item_ids", ["1008292230"])
        others = [("a pending order is returned", _RETURN, {"item_ids": items, "payment_method_id": "p"})]
    for name, tool, arguments in others:
        yield name, replace(call, tool=tool, arguments={**order, **arguments})


def _of_values(
    call: RecordedCall, given: Mapping[str, Json]
) -> Iterator[tuple[str, Sequence[dict[str, Json]]]]:
    """Other values of the parameters of a call."""
    if call.tool == _CANCEL:
        reasons = ("found it cheaper", "No longer needed", "", None)
        yield "another reason", [{"reason": reason} for reason in reasons]
    if "payment_method_id" in given:
        methods = ("gift_card_1", f"{given['payment_method_id']} ", None)
        yield "a payment method of nobody", [{"payment_method_id": method} for method in methods]
    if "address1" in given:
        yield "a made-up address", [_STREET]
    if "user_id" in given:
        users: list[Json] = ["sara_doe_496", str(given["user_id"]).upper(), [given["user_id"]]]
        yield "another user", [{"user_id": user} for user in users]
    if "email" in given:
        yield "a made-up mail address", [{"email": f"x{given['email']}"}]
    if call.tool == "find_user_id_by_name_zip":
        yield "a made-up zip code", [{"zip": "00000"}]
        yield "another name", [{"last_name": "Doe"}]


def _of_items(call: RecordedCall, given: Mapping[str, Json]) -> Iterator[tuple[str, RecordedCall]]:
    """The call with other items."""
    old, new = given.get("item_ids"), given.get("new_item_ids")
    if not isinstance(old, list):
        return
    for items in ([], [*old, *old], ["1", *old[1:]]):
        lists: dict[str, Json] = {"item_ids": [*items]}
        if new is not None:
            lists["new_item_ids"] = [*items]
        yield "items that the order does not have", replace(call, arguments={**given, **lists})
    if isinstance(new, list):
        others = [new[:-1], [*new, *new[:1]], ["1", *new[1:]], old]
        for items in [*others, new[::-1]] if new != new[::-1] else others:
            arguments: dict[str, Json] = {**given, "new_item_ids": [*items]}
            yield "no available item of the same product", replace(call, arguments=arguments)


def alterations(
    session: Session, runs: Sequence[Run], labels: Mapping[tuple[str, int], Label]
) -> Iterator[str]:
    """A row for each way to break a rule: how altered calls are decided, and calls that are made again."""
    policy = compile_policy(session.evaluated().terms)
    extractor = Extractor(session.spec.arguments, session.spec)
    verdicts: dict[str, Counter[Verdict]] = {}
    for run in runs:
        for place, call in enumerate(run.calls):
            label = labels.get((call.run, call.index))
            if label is None or label.breaks or label.doubtful:
                continue
            tries = [(name, one, place) for name, one in altered(call)]
            if call.tool in _ONCE:
                tries.append(("the same call once more", call, place + 1))
            for name, one, at in tries:
                decision = decision_on(policy, extractor.extract(one, Earlier(run.calls, at)))
                verdicts.setdefault(name, Counter())[decision.verdict] += 1
    yield "| what the altered calls try | calls | denied | cannot be evaluated | allowed |"
    yield "|---|---:|---:|---:|---:|"
    for name, counts in sorted(verdicts.items()):
        cannot = counts[Verdict.CANNOT_EVALUATE]
        yield f"| {name} | {counts.total()} | {counts[Verdict.DENY]} | {cannot} | {counts[Verdict.ALLOW]} |"


def main() -> None:
    """Decide the calls, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--session", type=Path, default=DESK)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    loaded = load_runs([options.data / "runs.jsonl"])
    labels = labels_of(options.data / "labels.jsonl")
    session = Session.open(options.session, read_only=True)
    before = time.process_time()
    calls = list(judged(session, loaded.runs, labels))
    used = time.process_time() - before
    print("Without the calls whose label is doubtful:", *table(calls, doubtful=False), sep="\n")
    print("\nWith them:", *table(calls, doubtful=True), sep="\n")
    print("\nBy what the calls break:", *by_label(calls), sep="\n")
    print("\nBy the rules that deny them:", *by_rule(session, calls), sep="\n")
    print("\nAltered calls:", *alterations(session, loaded.runs, labels), sep="\n")
    print(f"\nDecided in {used:.1f} s of processor time.")
    if options.list:
        print(*_wrong(calls), sep="\n")


def _wrong(calls: Sequence[Judged]) -> Iterator[str]:
    """A line for each call that is decided against its label."""
    for one in calls:
        if one.refused is not bool(one.label.breaks):
            made = one.decision.decision
            why = "; ".join(made.reasons) or ", ".join(sorted(one.fired)) or "allowed"
            sure = "doubtful" if one.label.doubtful else "sure"
            yield f"{sure}: {one.decision.run}:{one.decision.index}: {made.verdict}: {why[:300]}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "—"


if __name__ == "__main__":
    main()
