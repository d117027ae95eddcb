"""A small session that is always the same, to show a widget alone and to picture the screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.engines.compiled.compile import compile_policy
from workbench.model import (
    Assumption,
    Case,
    CaseResult,
    ClauseProof,
    Counterexample,
    Decision,
    Demonstration,
    Engine,
    Extracted,
    MadeBy,
    Option,
    PathStep,
    Proof,
    ProofStatus,
    Provenance,
    Question,
    Requirement,
    Sentence,
    SentenceRole,
    Span,
    Step,
    StepDecision,
    Value,
    Verdict,
)
from workbench.old_screen.samples.sample_spec import SPEC
from workbench.old_screen.state import (
    Cases,
    Contents,
    Evidence,
    EvidenceRow,
    Explained,
    Replayed,
    Stage,
    StageCondition,
    StageName,
    Survivor,
    Verdicts,
    Version,
)
from workbench.policy.check import check
from workbench.policy.terms import PolicyTerms

REQUEST = """Physicians may read allergies and diagnoses of the patients.

Nurses may read allergies. General admission may read costs only.

Nobody may read more than a hundred rows at once.
"""

POLICY = '''"""Who may read which column of the hospital's database."""

from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

Role = Literal["physician", "nursing", "general administration"]

READABLE = {
    "physician": {"allergy.drugname", "diagnosis.icd9code"},
    "nursing": {"allergy.drugname"},
    "general administration": {"cost.cost"},
}


def forbid_unreadable_column(role: Role, columns: frozenset[str]) -> bool:
    """R1, R2, R3: A role may read only the columns listed for it."""
    return any(column not in READABLE[role] for column in columns)


def forbid_too_many_rows(rows: int) -> bool:
    """R4: Nobody may read more than a hundred rows at once."""
    return rows > 100


def allow(role: Role, columns: frozenset[str], rows: int) -> bool:
    Requires(rows >= 0)
    # R2: Nurses may read allergies only.
    Ensures(Implies(role == "nursing" and "diagnosis.icd9code" in columns, not Result()))
    # R3: General administration may read costs only.
    Ensures(Implies(role == "general administration" and "allergy.drugname" in columns, not Result()))
    # R4: Nobody may read more than a hundred rows at once.
    Ensures(Implies(rows > 100, not Result()))
    return not (forbid_unreadable_column(role, columns) or forbid_too_many_rows(rows))
'''


def _requirement(name: str, text: str, quote: str) -> Requirement:
    start = REQUEST.index(quote)
    line = REQUEST.count("\n", 0, start) + 1
    return Requirement(name, text, quote, Span(start, start + len(quote), line))


REQUIREMENTS = (
    _requirement("R1", "Physicians may read allergies and diagnoses.", "Physicians may read allergies"),
    _requirement("R2", "Nurses may read allergies only.", "Nurses may read allergies."),
    _requirement(
        "R3", "General administration may read costs only.", "General admission may read costs only."
    ),
    _requirement(
        "R4", "Nobody may read more than a hundred rows.", "Nobody may read more than a hundred rows"
    ),
)

SENTENCES = (
    *(
        Sentence(item.quote, item.span, SentenceRole.REQUIREMENT, (item.id,))
        for item in (REQUIREMENTS[0], REQUIREMENTS[1], REQUIREMENTS[3])
    ),
    Sentence(REQUIREMENTS[2].quote, REQUIREMENTS[2].span, SentenceRole.OPEN, ("R3",)),
)

QUESTIONS = (
    Question(
        id="vocabulary:general-admission",
        kind="vocabulary",
        text="The request says “general admission”, the agent knows “general administration”."
        " Are they the same?",
        quote=REQUIREMENTS[2].quote,
        span=REQUIREMENTS[2].span,
        options=(
            Option(
                "same",
                "Yes, the same role",
                "R3 is about general administration.",
                "“General admission” means general administration.",
            ),
            Option(
                "other",
                "No, another role",
                "R3 is about a role that the agent never has; all it asks is denied.",
                "“General admission” is a role of its own.",
            ),
        ),
        default="other",
        requirements=("R3",),
        example={"role": "general administration", "columns": frozenset({"cost.cost"}), "rows": 10},
    ),
    Question(
        id="boundary:rows",
        kind="boundary",
        text="May exactly a hundred rows be read at once?",
        quote=REQUIREMENTS[3].quote,
        span=REQUIREMENTS[3].span,
        options=(
            Option("no", "No, at most 99", "R4 denies a hundred rows too.", "A hundred rows are too many."),
            Option(
                "yes", "Yes, a hundred are fine", "R4 denies from 101 rows.", "A hundred rows may be read."
            ),
        ),
        default="no",
        requirements=("R4",),
        example={"role": "physician", "columns": frozenset({"allergy.drugname"}), "rows": 100},
    ),
)

ASSUMPTIONS = (
    Assumption(
        "A:default",
        "default:decision",
        "deny",
        "What no sentence allows is denied.",
        MadeBy.DEFAULT,
        "2026-01-05T09:00:00+00:00",
    ),
)

DEMONSTRATIONS = (
    Demonstration(
        "d1",
        "A nurse asks for the drug allergies of a patient.",
        "allergy.drugname was read",
        (
            "Read the role and the columns from the log.",
            "Look up the columns that the role may read.",
            "Compare the two sets.",
            "Deny if a column is left over, and name it.",
        ),
        "CheckAccess(agent_input, agent_output)",
    ),
)

CONTENTS = Contents(
    name="hospital-access",
    path="sessions/hospital-access",
    request=REQUEST,
    policy=POLICY,
    requirements=REQUIREMENTS,
    sentences=SENTENCES,
    questions=QUESTIONS,
    assumptions=ASSUMPTIONS,
    demonstrations=DEMONSTRATIONS,
    versions=(Version(2, "Edit the policy", current=True), Version(1, "Draft from the request")),
    spec=SPEC,
)

STAGES = (
    Stage(StageName.CLARIFY, StageCondition.OPEN, "2 open"),
    Stage(StageName.DRAFT, StageCondition.GOOD, "2 rules"),
    Stage(StageName.TEST, StageCondition.BAD, "1 of 9 failed"),
    Stage(StageName.PROVE, StageCondition.RUNNING, "1 of 3"),
    Stage(StageName.REPLAY, StageCondition.GOOD, "20 allow 18 deny 2 cannot"),
)


def _case(
    number: int, role: str, column: str, rows: int, verdict: Verdict, reason: str, *requirements: str
) -> Case:
    arguments: Mapping[str, Value] = {"role": role, "columns": frozenset({column}), "rows": rows}
    return Case(f"case-{number}", arguments, verdict, reason, requirements)


CASES = (
    _case(1, "physician", "allergy.drugname", 10, Verdict.ALLOW, "a column that physicians may read", "R1"),
    _case(2, "physician", "cost.cost", 10, Verdict.DENY, "a column that physicians may not read", "R1"),
    _case(3, "nursing", "allergy.drugname", 10, Verdict.ALLOW, "a column that nurses may read", "R2"),
    _case(4, "nursing", "diagnosis.icd9code", 10, Verdict.DENY, "a column that nurses may not read", "R2"),
    _case(5, "general administration", "cost.cost", 10, Verdict.ALLOW, "costs", "R3"),
    _case(6, "general administration", "allergy.drugname", 10, Verdict.DENY, "no costs", "R3"),
    _case(7, "physician", "allergy.drugname", 99, Verdict.ALLOW, "below the boundary of R4", "R4"),
    _case(8, "physician", "allergy.drugname", 100, Verdict.DENY, "at the boundary of R4", "R4"),
    _case(9, "physician", "allergy.drugname", 101, Verdict.DENY, "above the boundary of R4", "R4"),
)


def run_sample_cases(policy: str, cases: tuple[Case, ...] = CASES) -> tuple[CaseResult, ...]:
    """Cases, decided in this process."""
    compiled = compile_policy(check(policy))
    found: list[CaseResult] = []
    for case in cases:
        got = compiled.decide(case.arguments).verdict
        found.append(CaseResult(case.id, got is case.expected, got))
    return tuple(found)


RESULTS = run_sample_cases(POLICY)
TESTS = Cases(CASES, {result.case: result for result in RESULTS})
TERMS = check(POLICY)

PREVIEW = Proof(
    (
        ClauseProof("C1", ("R2",), ProofStatus.PROVED, Engine.CVC5),
        ClauseProof("C2", ("R3",), ProofStatus.PROVED, Engine.CVC5),
        ClauseProof("C3", ("R4",), ProofStatus.PROVED, Engine.CVC5),
    )
)
PROOF = Proof(tuple(replace(clause, engine=Engine.NAGINI) for clause in PREVIEW.clauses))
REFUTED = ClauseProof(
    "C3",
    ("R4",),
    ProofStatus.REFUTED,
    Engine.CVC5,
    Counterexample(
        {"role": "nursing", "columns": frozenset({"allergy.drugname"}), "rows": 101},
        confirmed=True,
        decision=Verdict.ALLOW,
        path=(PathStep("forbid_unreadable_column", False), PathStep("forbid_too_many_rows", False)),
    ),
)
VERDICTS = Verdicts(
    TERMS, replace(PREVIEW, clauses=(*PREVIEW.clauses[:2], REFUTED)), Proof(PROOF.clauses[:1]), True
)


def sample_step(number: int) -> tuple[Step, Mapping[str, Extracted]]:
    """The step with this number: role, column and rows go round in different rhythms."""
    roles = ("physician", "nursing", "general administration")
    columns = ("allergy.drugname", "diagnosis.icd9code", "cost.cost", "allergy.drugname")
    role, column, rows = roles[number % 3], columns[number % 4], 12 + number * 7 % 120
    table, _, name = column.partition(".")
    code = (
        f'patients = LoadDB("{table}")\n'
        f'chosen = FilterDB(patients, "patientunitstayid={1000 + number}||max(age)")\n'
        f'answer = GetValue(chosen, "{name}", limit={rows})'
    )
    context = f"User identity: {role}"
    texts = {"agent_input": context, "code": code}
    place = code.index(f'"{table}"') + 1
    found = {
        "role": _extracted(role, "identity", "agent_input", context, role),
        "columns": Extracted(
            frozenset({column}),
            (Provenance("python", "code", (Span(place, place + len(table), 1),)),),
            items={column: (_provenance("python", "code", code, f'"{name}"'),)},
        ),
        "rows": _extracted(rows, "python", "code", code, f"limit={rows}"),
    }
    if number % 17 == 11:
        found["rows"] = Extracted(missing="the number of rows is not written in the log")
    return Step(f"eicu-{number:03}", 0, "GetValue", {"column": name}, texts), found


def _provenance(method: str, name: str, text: str, part: str) -> Provenance:
    start = text.index(part)
    return Provenance(method, name, (Span(start, start + len(part), text.count("\n", 0, start) + 1),))


def _extracted(value: Value, method: str, name: str, text: str, part: str) -> Extracted:
    return Extracted(value, (_provenance(method, name, text, part),))


STEPS = tuple(sample_step(number)[0] for number in range(40))
_FOUND = tuple(sample_step(number)[1] for number in range(40))


def decide_sample(terms: PolicyTerms) -> tuple[StepDecision, ...]:
    """The decisions of a policy on the sample's steps."""
    policy = compile_policy(terms)
    decided: list[StepDecision] = []
    for step, found in zip(STEPS, _FOUND, strict=True):
        missing = tuple(f"{name}: {item.missing}" for name, item in found.items() if item.missing is not None)
        arguments = {name: item.value for name, item in found.items()}
        decision = Decision(Verdict.CANNOT_EVALUATE, reasons=missing) if missing else policy.decide(arguments)
        decided.append(StepDecision(step.run, step.index, decision, found))
    return tuple(decided)


REPLAYED = Replayed(STEPS, decide_sample(TERMS), tuple(Verdict.ALLOW for _ in STEPS))

EVIDENCE = Evidence(
    (
        EvidenceRow("C1", "Nurses may read allergies only.", (), False, 2, 11, 9),
        EvidenceRow("C2", "General administration may read costs only.", (), False, 2, 12, 4),
        EvidenceRow("C3", "Nobody may read more than a hundred rows.", (), False, 3, 6, 7),
    ),
    29,
    31,
    (
        Survivor(
            "1a2b3c4d5e6f",
            'drop "allergy.drugname" from READABLE["physician"]',
            10,
            {"role": "physician", "columns": frozenset({"allergy.drugname"}), "rows": 0},
            Verdict.ALLOW,
            Verdict.DENY,
        ),
        Survivor(
            "6f5e4d3c2b1a",
            'add "cost.cost" to READABLE["nursing"]',
            11,
            {"role": "nursing", "columns": frozenset({"cost.cost"}), "rows": 0},
            Verdict.DENY,
            Verdict.ALLOW,
        ),
    ),
    ("No clause for the sentence R1.",),
)


def explain_sample(terms: PolicyTerms, index: int) -> Explained:
    """Why a step of the sample is decided so."""
    decision = decide_sample(terms)[index].decision
    if decision.verdict is not Verdict.DENY:
        return Explained(index, "No rule forbids it.")
    path = compile_policy(terms).path(decision.arguments)
    names = ", ".join(item.rule for item in decision.violations)
    return Explained(
        index,
        f"Denied by {names}.",
        path,
        'allow if role = "physician"',
        "eicu-000 call 0",
        "Ask for less.",
        0,
    )
