"""Decisions against labels: what is counted for each rule, and which files of labels are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.app.labelled_calls import CallLabel, label_scores, read_labels
from workbench.model import CallDecision, Decision, Verdict, Violation, WorkbenchError


def decided(index: int, verdict: Verdict, *rules: str) -> CallDecision:
    return CallDecision("a", index, Decision(verdict, tuple(Violation(rule, "message") for rule in rules)))


def breaks(*names: str) -> CallLabel:
    return CallLabel(bool(names), frozenset(names))


def test_each_rule_is_counted_against_its_label() -> None:
    calls = [
        decided(0, Verdict.DENY, "forbid_no_minors"),
        decided(1, Verdict.DENY, "forbid_no_minors", "forbid_late"),
        decided(2, Verdict.ALLOW),
        decided(3, Verdict.CANNOT_EVALUATE),
        decided(4, Verdict.ASK, "ask_large"),
    ]
    labels = {
        ("a", 0): breaks("no-minors"),
        ("a", 1): breaks("forbid_late"),
        ("a", 2): breaks("no-minors"),
        ("a", 3): breaks(),
        ("a", 4): breaks("large"),
    }
    scores = label_scores(calls, labels, ["forbid_no_minors", "forbid_late", "ask_large"])
    assert [(rule.name, rule.refused, rule.right, rule.beyond, rule.missed) for rule in scores.rules] == [
        ("forbid_late", 1, 1, 0, 0),
        ("ask_large", 1, 1, 0, 0),
        ("forbid_no_minors", 2, 1, 1, 1),
    ]
    assert (scores.policy.refused, scores.policy.right, scores.policy.missed) == (4, 3, 1)
    assert (scores.labelled_rules.refused, scores.undecided) == (3, 1)
    deny_all, allow_all = scores.controls
    assert (deny_all.precision, allow_all.precision, allow_all.recall) == (0.8, None, 0.0)
    assert [wrong.decided.index for wrong in scores.differing] == [2, 3]


def test_a_label_without_a_rule_is_missed() -> None:
    scores = label_scores([decided(0, Verdict.ALLOW)], {("a", 0): breaks("no-minors")}, ["forbid_too_much"])
    assert scores.without_rule == ("no-minors",)
    assert [(rule.name, rule.refused, rule.missed) for rule in scores.rules] == [("no-minors", 0, 1)]
    assert (scores.policy.missed, scores.policy.recall) == (1, 0.0)


def test_a_call_that_nothing_permits_breaks_what_would_permit_it() -> None:
    calls = [decided(0, Verdict.DENY, "default"), decided(1, Verdict.DENY, "forbid_late")]
    labels = {("a", 0): breaks("approved"), ("a", 1): breaks("forbid_late")}
    scores = label_scores(calls, labels, ["permit_approved", "forbid_late"])
    assert [(rule.name, rule.refused, rule.right) for rule in scores.rules] == [
        ("permit_approved", 1, 1),
        ("forbid_late", 1, 1),
    ]


def test_a_call_without_a_label_is_said() -> None:
    with pytest.raises(WorkbenchError, match="Call 1 of run a has no label"):
        label_scores(
            [decided(0, Verdict.ALLOW), decided(1, Verdict.ALLOW)], {("a", 0): breaks()}, ["forbid_x"]
        )
    with pytest.raises(WorkbenchError, match="Call 7 of run a is labelled and not in the log"):
        label_scores([decided(0, Verdict.ALLOW)], {("a", 0): breaks(), ("a", 7): breaks()}, ["forbid_x"])


@pytest.mark.parametrize(
    "line",
    [
        {"run": "a", "call": 0},
        {"run": "a", "call": True, "label": "deny"},
        {"run": "a", "call": "0", "label": "deny"},
        {"run": "a", "call": 0, "label": "maybe"},
        {"run": "a", "call": 0, "breaks": "no-minors"},
        {"run": "a", "call": 0, "breaks": ["no-minors", 3]},
        ["a", 0, "deny"],
    ],
)
def test_a_line_that_is_no_label_is_refused_with_its_place(line: object, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps({"run": "b", "call": 0, "label": "allow"}) + "\n" + json.dumps(line) + "\n")
    with pytest.raises(WorkbenchError, match=r"labels\.jsonl:2"):
        read_labels(path)


def test_a_call_has_one_label(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    line = json.dumps({"task": 3, "trial": 1, "call": 0, "breaks": []})
    path.write_text(f"{line}\n{line}\n")
    with pytest.raises(WorkbenchError, match="call 0 of run 3-1 has a label already"):
        read_labels(path)
