"""Four rules of a retail desk as a policy of calls, each against its label on recorded runs.

Run: python benchmarks/retail_rules.py DATA [--list]

DATA has ``runs.jsonl`` and ``labels.jsonl`` of the retail desk (``tau_retail``). The policy is that of
``sessions/retail-desk``; each rule is decided alone. A call that cannot be evaluated is not allowed, and is
counted again by itself. A label is doubtful where the program that found it says so; the first table leaves
out the rows whose label of this rule is doubtful. Since hardly any recorded call breaks three of the rules,
calls that do are made from the recorded ones, each at its place in the run: none may be allowed. ``--list``
prints each wrong result with its reason. Nothing is learnt from the labels.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, CallDecision, Json, RecordedCall, Run, Verdict, WorkbenchError
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay import replay
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier
from workbench.session import Session

DESK = Path(__file__).parent / "sessions" / "retail-desk"
RULES: Mapping[str, tuple[tuple[str, ...], frozenset[str]]] = {
    "only if its status is pending": (
        ("forbid_not_pending",),
        frozenset({"pending-only", "final-after-items-modified"}),
    ),
    "authenticated first, and only the same user": (
        ("forbid_before_customer_is_found", "forbid_other_profile", "forbid_order_of_other"),
        frozenset({"authenticated-first", "one-user", "own-orders"}),
    ),
    "new item i is an available variant of the product of item i": (
        ("forbid_other_product",),
        frozenset({"same-product", "new-item-available", "equal-number"}),
    ),
    "refund to the original payment method or a gift card": (
        ("forbid_refund_elsewhere",),
        frozenset({"refund-method"}),
    ),
}
"""The rules, each with its functions in the policy and the names of its labels."""


@dataclass(frozen=True, slots=True)
class Label:
    """The rules that a call breaks, and those of which it is doubtful whether it does."""

    breaks: frozenset[str]
    doubtful: frozenset[str]


@dataclass(frozen=True, slots=True)
class Judged:
    """A call decided by one rule, with whether it breaks it and whether that is doubtful."""

    decision: CallDecision
    tool: str
    breaks: bool
    doubtful: bool

    @property
    def denied(self) -> bool:
        """Whether the call is not allowed."""
        return self.decision.decision.verdict is not Verdict.ALLOW


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


def with_rules(source: str, spec: AgentSpec, names: Sequence[str]) -> LoweredPolicy:
    """The policy with these of its rules alone, and without its contract."""
    policy = check_calls(source, agent_types(spec))
    lines = source.split("\n")
    other = [rule for rule in policy.rules if rule.name not in names]
    left_out = {number for rule in other for number in range(rule.line, rule.end_line + 1)}
    first_clause = min(clause.line for clause in policy.clauses)
    contract = next(n for n in range(first_clause, 0, -1) if lines[n - 1].startswith("def contract_"))
    kept = [line for number, line in enumerate(lines, 1) if number not in left_out and number < contract]
    return lowered_policy("\n".join(kept) + "\n", spec)


def judged(
    rule: str, session: Session, runs: Sequence[Run], labels: Mapping[tuple[str, int], Label]
) -> Iterator[Judged]:
    """The labelled calls, decided by one rule."""
    names, own = RULES[rule]
    policy = with_rules(session.written, session.agent, names)
    extractor = Extractor(policy.arguments, session.agent)
    for one in replay(compile_policy(policy.terms), extractor, runs):
        label = labels.get((one.run, one.index))
        if label is not None:
            tool = str(one.extracted["tool"].value)
            yield Judged(one, tool, bool(own & label.breaks), bool(own & label.doubtful))


def tools_of(rule: str, session: Session) -> frozenset[str]:
    """The tools that a rule is about."""
    policy = check_calls(session.written, agent_types(session.agent))
    return frozenset(one.tool for each in policy.rules if each.name in RULES[rule][0] for one in each.terms)


def altered(call: RecordedCall) -> Iterator[tuple[str, RecordedCall]]:
    """Calls that break a rule, each with the rule, made from a call that breaks none."""
    pending, _, product, refund = RULES
    arguments = dict(call.arguments or {})
    if call.tool in ("exchange_delivered_order_items", "return_delivered_order_items"):
        order = {"order_id": arguments["order_id"]}
        yield (
            pending,
            replace(call, tool="cancel_pending_order", arguments={**order, "reason": "ordered by mistake"}),
        )
        yield (
            pending,
            replace(call, tool="modify_pending_order_payment", arguments={**order, "payment_method_id": "p"}),
        )
    if call.tool in ("exchange_delivered_order_items", "modify_pending_order_items"):
        old, new = arguments["item_ids"], arguments["new_item_ids"]
        if isinstance(old, list) and isinstance(new, list):
            for other in (
                new[:-1],
                [*new, *new[:1]],
                ["1", *new[1:]],
                new[::-1] if len(set(new)) > 1 else [],
            ):
                yield product, replace(call, arguments={**arguments, "new_item_ids": list(other)})
    if call.tool == "return_delivered_order_items":
        yield refund, replace(call, arguments={**arguments, "payment_method_id": "paypal_1"})


def alterations(
    session: Session, runs: Sequence[Run], labels: Mapping[tuple[str, int], Label]
) -> Iterator[str]:
    """A line for each rule: how many of the altered calls it does not allow."""
    policies = {rule: with_rules(session.written, session.agent, names) for rule, (names, _) in RULES.items()}
    extractors = {rule: Extractor(one.arguments, session.agent) for rule, one in policies.items()}
    compiled = {rule: compile_policy(one.terms) for rule, one in policies.items()}
    verdicts: Counter[tuple[str, Verdict]] = Counter()
    for run in runs:
        for place, call in enumerate(run.calls):
            label = labels.get((call.run, call.index))
            for rule, other in altered(call) if label is not None and not label.breaks else ():
                extracted = extractors[rule].extract(other, Earlier(run.calls, place))
                verdicts[rule, decision_on(compiled[rule], extracted).verdict] += 1
    for rule in RULES:
        counts = {verdict: verdicts[rule, verdict] for verdict in Verdict}
        if sum(counts.values()):
            yield f"* {rule}: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items())


def row(guard: str, denied: Sequence[Judged], calls: Sequence[Judged]) -> str:
    """A row of the table: how many calls are denied, rightly, wrongly, and missed."""
    right = sum(one.breaks for one in denied)
    breaking = sum(one.breaks for one in calls)
    unknown = [one for one in denied if one.decision.decision.verdict is Verdict.CANNOT_EVALUATE]
    precision = f"{100 * right / len(denied):.0f}" if denied else "—"
    recall = f"{100 * right / breaking:.0f}" if breaking else "—"
    cannot = f"{len(unknown)}" if guard not in ("deny all", "allow all") else "0"
    return (
        f"| {guard} | {len(calls)} | {breaking} | {right} | {len(denied) - right} | {breaking - right} | "
        f"{cannot} | {precision} | {recall} |"
    )


def table(calls: Mapping[str, Sequence[Judged]], *, doubtful: bool) -> Iterator[str]:
    """The table of all rules, with or without the rows whose label is doubtful."""
    yield "| guard | calls | break it | denied rightly | wrongly | missed | unknown | precision | recall |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for rule, every in calls.items():
        kept = [one for one in every if doubtful or not one.doubtful]
        yield row(rule, [one for one in kept if one.denied], kept)
        yield row("deny all", kept, kept)
        yield row("allow all", [], kept)


def main() -> None:
    """Decide the calls by each rule, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    loaded = load_runs([options.data / "runs.jsonl"])
    labels = labels_of(options.data / "labels.jsonl")
    session = Session.open(DESK, read_only=True)
    calls = {rule: list(judged(rule, session, loaded.runs, labels)) for rule in RULES}
    print("Without the rows whose label is doubtful:", *table(calls, doubtful=False), sep="\n")
    print("\nWith them:", *table(calls, doubtful=True), sep="\n")
    print("\nCalls of tools that a rule is not about:", *touched(session, calls), sep="\n")
    print(
        "\nCalls that were altered to break the rule:", *alterations(session, loaded.runs, labels), sep="\n"
    )
    if options.list:
        for rule, every in calls.items():
            _print_wrong(rule, every)


def touched(session: Session, calls: Mapping[str, Sequence[Judged]]) -> Iterator[str]:
    """A line for each rule: how many calls of other tools it does not allow, or reads something of."""
    for rule, every in calls.items():
        about = tools_of(rule, session)
        others = [one for one in every if one.tool not in about]
        found = [one for one in others if one.denied or set(one.decision.extracted) != {"tool"}]
        yield f"* {rule}: {len(found)} of {len(others)} touched"


def _print_wrong(rule: str, calls: Sequence[Judged]) -> None:
    reasons: Counter[str] = Counter()
    for one in calls:
        if one.denied is not one.breaks:
            made = one.decision.decision
            why = "; ".join(made.reasons) or ", ".join(each.rule for each in made.violations) or "allowed"
            reasons[f"{'doubtful' if one.doubtful else 'sure'}: {one.tool}: {made.verdict}"] += 1
            print(rule, one.decision.run, one.decision.index, one.tool, made.verdict, one.doubtful, why[:300])
    print(reasons)


if __name__ == "__main__":
    main()
