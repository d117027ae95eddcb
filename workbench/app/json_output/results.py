"""The ``--json`` output of commands: results of the application, each with one table of its fields.

``nouns`` has the nouns that several results hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.app.cases import KeptCase
from workbench.app.doctor import Diagnosis
from workbench.app.from_settings import ChangedCall, Rescued
from workbench.app.grants import ListedGrant, WaitingCall
from workbench.app.hook_report import HookDay, HookReport, HookTrouble, RefusedCall
from workbench.app.json_output.changes import WHAT_CHANGED
from workbench.app.json_output.nouns import (
    ANSWERED,
    ASSUMPTION,
    COVERAGE,
    THEOREM,
)
from workbench.app.json_output.report import OWED
from workbench.app.labelled_calls import CallLabel, LabelScore, LabelScores, Mislabelled
from workbench.app.owed import Owed
from workbench.app.results import (
    Assumed,
    ChoicePreview,
    PolicyChange,
    RecordedRegion,
    SessionChange,
    Understanding,
)
from workbench.app.rewording import RewordingPreview
from workbench.app.sentences import SayPreview
from workbench.app.suggestions import Offered
from workbench.app.what_changed import WhatChanged
from workbench.check.disputed_input import DisputedInput
from workbench.check.evidence import Evidence, EvidenceRow
from workbench.check.policy_overlaps import OVERLAP
from workbench.engines.smt.diff import DIFF, REGION
from workbench.engines.smt.vacuity import Vacuity
from workbench.language.completion import Completion
from workbench.language.language import Said
from workbench.model import (
    Accepted,
    Assumption,
    ClauseProof,
    Requirement,
    Sentence,
    Verdict,
)
from workbench.policy.merge import MergeConflict
from workbench.policy.terms import Clause
from workbench.runs.replay.flips import Flip
from workbench.runs.replay.record import PLACE
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form
from workbench.settings.findings import Finding, Slip


def _allowed(change: PolicyChange) -> tuple[RecordedRegion, ...]:
    return change.regions(Verdict.ALLOW)


def _asked(change: PolicyChange) -> tuple[RecordedRegion, ...]:
    return change.regions(Verdict.ASK)


def _denied(change: PolicyChange) -> tuple[RecordedRegion, ...]:
    return change.regions(Verdict.DENY)


def _rules(flip: Flip) -> tuple[str, ...]:
    return tuple(violation.rule for violation in flip.new.decision.violations)


json_form(
    Flip,
    Nested(PLACE, "new"),
    ("bucket", "kind"),
    ("old", "old.decision.verdict"),
    ("new", "new.decision.verdict"),
    ("rules", _rules),
)
json_form(RecordedRegion, Nested(REGION, "region"), ("recorded", Nested(PLACE, "recorded", none=True)))
_REPLAY = JsonForm[PolicyChange](PolicyChange, fields("buckets", "changed"))
CHANGE = json_form(
    PolicyChange,
    Nested(DIFF, "semantic"),
    *(("newly_allowed", _allowed), ("newly_asked", _asked), ("newly_denied", _denied)),
    ("replay", Nested(_REPLAY)),
    "as_if",
)

# --- ask, answer, assumptions -----------------------------------------------------

UNDERSTANDING = JsonForm[Understanding](
    Understanding,
    fields(
        "open",
        ("answered", Nested(ANSWERED, "answered", many=True)),
        ("owed", Nested(OWED, "owed", many=True)),
        ("coverage", Nested(COVERAGE, "draft")),
    ),
)


def _options(item: Assumed) -> tuple[str, ...]:
    return () if item.question is None else tuple(option.value for option in item.question.options)


def _is_asked(item: Assumed) -> bool:
    return item.question is not None


def _takes_words(item: Assumed) -> bool:
    return item.question is not None and item.question.free_text


_TOUCHED = JsonForm[Sentence](Sentence, fields("text", ("line", "span.line"), "requirements"))
ASSUMED = json_form(
    Assumed,
    *(
        Nested(ASSUMPTION, "assumption"),
        ("asked", _is_asked),
        ("options", _options),
        ("free_text", _takes_words),
    ),
    ("sentences", Nested(_TOUCHED, "sentences", many=True)),
    *("holds", "lost"),
)


def _conflict_names(preview: ChoicePreview) -> tuple[str, ...]:
    return tuple(conflict.name for conflict in preview.conflicts)


json_form(MergeConflict, "name", "ours", "theirs")
json_form(Clause, "id", "requirements", "source")


type WithChanges[R] = tuple[R, WhatChanged]

SESSION_CHANGE = JsonForm[WithChanges[SessionChange]](
    WithChanges[SessionChange],
    fields(
        ("policy", "0.policy"),
        ("cases", "0.cases"),
        ("conflicts", "0.conflicts"),
        ("left", "0.left"),
        ("dropped", Nested(ASSUMPTION, "0.dropped", many=True)),
        ("changed", Nested(WHAT_CHANGED, "1")),
    ),
)


def _contradicting(preview: ChoicePreview | RewordingPreview) -> list[str]:
    return [contradiction.sentence for contradiction in preview.contradictions]


CHOICE_PREVIEW = json_form(
    ChoicePreview,
    *("question", "value", "added", "removed", ("conflicts", _conflict_names)),
    ("contradictions", _contradicting),
    Nested(CHANGE, "change"),
)

# --- sentences --------------------------------------------------------------------


SAID = json_form(Said, "name", "line", ("sentence", "text"), "why")
COMPLETION = json_form(Completion, "beginning", "rest", "offered", "whole")


def _turned_of(offered: Offered) -> dict[str, int]:
    return dict(offered.turned)


OFFERED = json_form(
    Offered,
    "number",
    ("sentence", "text"),
    "left_out",
    ("turned", _turned_of),
    "stands",
    "proposed",
    "is_theorem",
)
SAY_PREVIEW = json_form(
    SayPreview,
    *("name", ("sentence", "text"), ("rule", "python"), "stored", ("contradictions", _contradicting)),
    Nested(CHANGE, "change"),
)


_TAKEN = JsonForm[tuple[Requirement, tuple[str, ...]]](
    tuple[Requirement, tuple[str, ...]], fields(("sentence", "0.text"), ("reworded", "1"))
)
_CONTEXT = JsonForm[tuple[Requirement, str]](
    tuple[Requirement, str], fields(("sentence", "0.text"), ("reason", "1"))
)
REWORDING_PREVIEW = json_form(
    RewordingPreview,
    ("taken", Nested(_TAKEN, "taken", many=True)),
    ("context", Nested(_CONTEXT, "context", many=True)),
    *(("rules", "python"), "replaced", "stored"),
    ("contradictions", _contradicting),
    ("dropped", Nested(ASSUMPTION, "dropped", many=True)),
    Nested(CHANGE, "change"),
)

# --- cases ------------------------------------------------------------------------


_JUDGED = JsonForm[DisputedInput](
    DisputedInput, fields("decided", "rules", "rule_wrong", ("clauses_wrong", "clauses"))
)
KEPT_CASE = json_form(KeptCase, "case", Nested(_JUDGED, "judgement"))

# --- strength and evidence --------------------------------------------------------

# A wrong version against which a clause was added, and the clause.
# The evidence, and a report for each clause on which the engines disagree.
type Reported = tuple[Evidence, Sequence[str], Sequence[Owed]]


def _measured(evidence: Evidence) -> Evidence | None:
    return None if evidence.killed is None else evidence


ACCEPTED = JsonForm[Accepted](Accepted, fields("mutant", ("description", "what"), "reason"))
json_form(
    Vacuity,
    *("vacuous", ("precondition_satisfiable", "reachable"), ("left_side_can_happen", "fires")),
    *(("holds_for_every_policy", "trivial"), "why", ("realised?", "realised")),
)
_RESTS_ON = JsonForm[Assumption](Assumption, fields("id", "statement", "made_by"))
_VERDICT = JsonForm[ClauseProof](ClauseProof, fields("engine", "status", "why"))
_EXAMPLE = JsonForm[tuple[str, int]](tuple[str, int], fields(("run", "0"), ("call", "1")))
_STRENGTH = JsonForm[Evidence](Evidence, fields("killed", "killable", "survivors"))
json_form(
    EvidenceRow,
    *("clause", "source", "requirements", "sentences"),
    ("assumptions", Nested(_RESTS_ON, "assumptions", many=True)),
    ("verdicts", Nested(_VERDICT, "verdicts", many=True)),
    *("engines_disagree", "vacuity", "cases", "mutants_killed", "calls"),
    ("call_examples", Nested(_EXAMPLE, "call_examples", many=True)),
)
EVIDENCE = json_form(
    Evidence,
    *(("clauses", "rows"), "sentences_without_clause", "rules_without_sentence", "clauses_never_exercised"),
    ("strength", Nested(_STRENGTH, _measured, none=True)),
    ("theorems", Nested(THEOREM, "theorems", many=True)),
)
EVIDENCE_REPORT = JsonForm[Reported](
    Reported,
    fields(
        Nested(EVIDENCE, "0"),
        ("disagreements", "1"),
        ("owed", Nested(OWED, "2", many=True)),
    ),
)

# --- labels ---------------------------------------------------------------------


def _broken(label: CallLabel) -> list[str]:
    return sorted(label.breaks)


json_form(LabelScore, "name", "refused", "right", "beyond", "missed", "precision", "recall")
json_form(CallLabel, "denied", ("breaks", _broken), "because")
json_form(Mislabelled, Nested(PLACE, "decided"), ("decision", "decided.decision.verdict"), "label")
LABEL_SCORES = json_form(
    LabelScores,
    *("calls", "undecided", "rules", "without_rule", "labelled_rules", "policy", "controls", "differing"),
)

# --- doctor -----------------------------------------------------------------------

DIAGNOSIS = json_form(Diagnosis, "subject", "good", "finding", "remedy", "needed")

json_form(ChangedCall, "call", "settings", "session")
json_form(Slip, "command", "way", "decision", "by")
json_form(Finding, "kind", "rule", "text", "slips")
RESCUED = json_form(
    Rescued,
    *("client", "rules", "typed", "findings", "lost", "closed", "open", "tried", "logged"),
    *(
        "newly_denied",
        "newly_allowed",
        "compared",
        "proved_denied",
        "proved_allowed",
        "unproved",
        "held",
        "searched",
        "next_step",
    ),
)
json_form(RefusedCall, "rule", "verdict", "count", "examples")
json_form(HookDay, "day", "shadow", "allowed", "denied", "asked", "not_evaluated", "refused")
json_form(HookTrouble, "trouble", "last", "count")
json_form(
    ListedGrant,
    *(
        ("id", "grant.id"),
        "in_force",
        "state",
        "sentence",
        ("tool", "grant.tool"),
        ("region", "grant.region"),
    ),
    *(("arguments", "grant.arguments"), ("overrides", "grant.overrides"), ("scope", "grant.scope")),
    *(("run", "grant.run"), ("made", "grant.made"), ("expires", "grant.expires"), ("by", "grant.by")),
    *(("reason", "grant.reason"), ("revoked", "grant.revoked"), ("revoked_by", "grant.revoked_by")),
)
json_form(WaitingCall, "run", ("call", "index"), "tool", "arguments", "rules")
GRANTS = JsonForm[tuple[Sequence[ListedGrant], Sequence[WaitingCall], str]](
    tuple[Sequence[ListedGrant], Sequence[WaitingCall], str],
    fields(("grants", "0"), ("waiting", "1"), ("problem", "2")),
)
HOOK_REPORT = json_form(HookReport, "days", "troubles")

OVERLAPS = Nested(OVERLAP, many=True)
