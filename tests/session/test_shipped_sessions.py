"""The shipped sessions: readable, as the author drafts them, with the intended logs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.author.specs_for_author import HOSPITAL, SHOPPING
from tests.recordings import DATA
from workbench.app.workbench import Workbench
from workbench.author.rules import RulesAuthor
from workbench.check.cases_generate import generate_cases
from workbench.check.cases_run import run_cases
from workbench.clarify import Situation, find_questions
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.guardagent.sandbox import execute
from workbench.guardagent.toolbox import Toolbox
from workbench.model import AgentSpec, Arguments, Decision, Draft, MadeBy, RecordedCall, Verdict
from workbench.policy.check import check
from workbench.policy.render import format_policy
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.session import Session, find_sessions
from workbench.session.merged_draft import drafted_of, write_drafted

ROOT = Path(__file__).resolve().parents[2]
SESSIONS = ROOT / "sessions"
NAMES = ("hospital-access", "web-shopping")
# A policy of calls, which a person wrote: see tests/session/test_travel_desk.py.
OF_CALLS = ("travel-desk",)


@pytest.fixture(params=NAMES)
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    with opened(str(request.param)) as opened_session:
        yield opened_session


def opened(name: str) -> Session:
    return Session.open(SESSIONS / name, read_only=True)


def drafted(session: Session, choices: Mapping[str, str] | None = None) -> Draft:
    return RulesAuthor().draft(session.request, session.spec, session.choices if choices is None else choices)


def decided(session: Session, policy: CompiledPolicy) -> Iterator[tuple[RecordedCall, Arguments, Decision]]:
    extractor = Extractor(session.spec.arguments, session.spec)
    imported = load_runs(session.log_paths)
    assert imported.problems == ()
    for run in imported.runs:
        for position, call in enumerate(run.calls):
            extracted = extractor.extract(call, run.calls[:position])
            values = {name: item.value for name, item in extracted.items() if item.missing is None}
            yield call, values, policy.decide(values)


def test_the_sessions_are_there_by_rules_by_hand_and_by_a_model_and_nothing_else() -> None:
    assert sorted(path.name for path in find_sessions(SESSIONS)) == sorted((*NAMES, *OF_CALLS))


def test_a_shipped_session_reads_without_a_notice_and_is_named_like_its_folder(session: Session) -> None:
    assert session.notices == []
    assert session.info.name == session.path.name
    assert session.info.title
    assert session.info.author == "rules"


@pytest.mark.parametrize(("name", "wanted"), [("hospital-access", HOSPITAL), ("web-shopping", SHOPPING)])
def test_the_agent_is_the_one_that_the_request_is_written_for(name: str, wanted: AgentSpec) -> None:
    with opened(name) as session:
        spec = session.spec
        assert [(a.name, a.type, a.description) for a in spec.arguments] == [
            (a.name, a.type, a.description) for a in wanted.arguments
        ]
        assert (spec.vocabulary, spec.schema, spec.synonyms) == (
            wanted.vocabulary,
            wanted.schema,
            wanted.synonyms,
        )
        assert all(argument.extraction is not None for argument in spec.arguments)


def test_policy_and_cases_are_what_the_author_drafts(session: Session) -> None:
    draft = drafted(session)
    assert session.policy == format_policy(draft.policy)
    assert session.cases == generate_cases(
        check(draft.policy), draft.requirements, assumptions=session.assumptions
    )


@pytest.mark.parametrize("name", [*NAMES, *OF_CALLS])
def test_a_clone_knows_what_its_policy_was_drafted_as(name: str) -> None:
    bench = Workbench.open(SESSIONS / name, read_only=True, replay_calls=True)
    draft = bench.request.draft()
    drafted_text = write_drafted(drafted_of(draft.policy, draft.requirements))
    assert (SESSIONS / name / "draft.toml").read_text(encoding="utf-8") == drafted_text
    assert not bench.request.policy_edited


def test_every_case_passes_in_pytest(session: Session) -> None:
    run = run_cases(session.policy, session.cases)
    assert (run.failed, run.why) == ((), "")
    assert run.passed == len(session.cases) >= 25


def test_the_logs_are_what_their_generator_writes(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "generate_runs.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True)
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    shipped = {
        path.relative_to(SESSIONS): path.read_bytes()
        for name in (*NAMES, *OF_CALLS)
        for path in (*SESSIONS.glob(f"{name}/logs/*"), *SESSIONS.glob(f"{name}/labels.jsonl"))
    }
    assert written == shipped
    assert len(shipped) == 10


def test_the_logs_hold_enough_runs_of_both_outcomes_and_some_that_do_not_tell(session: Session) -> None:
    policy = compile_policy(check(session.policy))
    calls = list(decided(session, policy))
    verdicts = Counter(decision.verdict for _, _, decision in calls)
    assert len({call.run for call, _, _ in calls}) >= 40
    assert verdicts[Verdict.ALLOW] >= 0.3 * len(calls)
    assert verdicts[Verdict.DENY] >= 0.3 * len(calls)
    assert verdicts[Verdict.CANNOT_EVALUATE] >= 4
    assert {run.format for run in load_runs(session.log_paths).runs} == {"guardagent", "openai-chat"}


def test_no_call_is_allowed_for_want_of_arguments(session: Session) -> None:
    policy = compile_policy(check(session.policy))
    names = {argument.name for argument in session.spec.arguments}
    for _, values, decision in decided(session, policy):
        if set(values) == names:
            assert decision.verdict is not Verdict.CANNOT_EVALUATE
        else:
            assert decision.verdict is not Verdict.ALLOW


def test_the_hospital_policy_lists_the_published_permissions() -> None:
    path = DATA / "eicu_ac" / "permissions.json"
    if not path.exists():
        pytest.skip("the public recordings are not here")
    roles = json.loads(path.read_text(encoding="utf-8"))["roles"]
    with opened("hospital-access") as session:
        entries = check(session.policy).tables["READABLE"].entries
    assert entries == {
        role: frozenset(f"{table}.{column}" for table, columns in tables.items() for column in columns)
        for role, tables in roles.items()
    }


def test_a_denied_hospital_run_names_exactly_the_columns_outside_the_role() -> None:
    with opened("hospital-access") as session:
        terms = check(session.policy)
        entries = terms.tables["READABLE"].entries
        for _, values, decision in decided(session, compile_policy(terms)):
            if decision.verdict is Verdict.CANNOT_EVALUATE:
                continue
            row, columns = entries[str(values["role"])], values["columns"]
            assert isinstance(row, frozenset)
            assert isinstance(columns, frozenset)
            items = {item for violation in decision.violations for item in violation.items}
            assert items == columns - row
            assert (decision.verdict is Verdict.DENY) == bool(items)


def shop_allows(values: Arguments) -> bool:
    """The six rules in plain Python; if condition and sentence differ, by the sentence."""
    age = values["age"]
    assert isinstance(age, int)
    return {
        "buy_or_rent_car": values["dr_license"] is True,
        "search_media": values["domestic"] is True,
        "book_hotel": age >= 18,
        "apply_for_job": age >= 15,
        "purchase": values["membership"] is True,
        "book_flight": values["vaccine"] is True,
        "other": True,
    }[str(values["action"])]


def test_the_shop_ships_with_its_contradiction_open_and_no_flight_allowed() -> None:
    with opened("web-shopping") as session:
        assert session.assumptions == ()
        (contradiction,) = [item for item in drafted(session).doubts if item.kind == "card"]
        assert contradiction.default == ""
        assert "vaccine == false" in contradiction.quote
        policy = compile_policy(check(session.policy))
        flights = [
            decided_call
            for decided_call in decided(session, policy)
            if decided_call[1].get("action") == "book_flight"
        ]
        assert len(flights) >= 6
        assert all(decision.verdict is not Verdict.ALLOW for _, _, decision in flights)


def test_with_the_sentence_chosen_the_shop_decides_as_its_rules_say() -> None:
    with opened("web-shopping") as session:
        (contradiction,) = [item for item in drafted(session).doubts if item.kind == "card"]
        assert "message" in contradiction.values
        draft = drafted(session, {contradiction.id: "message"})
        verdicts: Counter[Verdict] = Counter()
        for _, values, decision in decided(session, compile_policy(check(draft.policy))):
            verdicts[decision.verdict] += 1
            if decision.verdict is not Verdict.CANNOT_EVALUATE:
                assert (decision.verdict is Verdict.ALLOW) == shop_allows(values)
        assert min(verdicts[Verdict.ALLOW], verdicts[Verdict.DENY]) >= 15


def test_the_hospital_ships_with_its_vocabulary_answered_by_a_human() -> None:
    with opened("hospital-access") as session:
        (assumption,) = session.assumptions
        assert (assumption.made_by, assumption.value) == (MadeBy.HUMAN, "general administration")
        draft = drafted(session, {})
        open_questions = find_questions(Situation(session.request, session.spec, draft, {}, RulesAuthor()))
        questions = {question.id: question for question in open_questions}
        options = {option.value: option.statement for option in questions[assumption.question].options}
        assert options[assumption.value] == assumption.statement
        unanswered = check(drafted(session, {}).policy)
        closed = compile_policy(unanswered).decide(
            {"role": assumption.value, "columns": frozenset({"cost.cost"})}
        )
        assert closed.verdict is Verdict.DENY


def test_demonstrations_come_to_the_decision_that_their_plan_expects(session: Session) -> None:
    policy = compile_policy(check(session.policy))
    extractor = Extractor(session.spec.arguments, session.spec)
    expected: list[str] = []
    for item in session.demonstrations:
        call = RecordedCall(
            item.id, 0, None, None, {"agent_input": item.agent_input, "agent_output": item.agent_output}
        )
        values = {name: extracted.value for name, extracted in extractor.extract(call).items()}
        verdict = policy.decide(values).verdict.value
        assert item.plan[3].endswith(f"Expect it to {verdict}.")
        done = execute(item.code, {}, Toolbox.standard())
        assert done.error == ""
        assert done.values["label"] == (0 if verdict == "allow" else 1)
        assert bool(done.values["details"]) is (verdict == "deny")
        expected.append(verdict)
    assert {"allow", "deny"} <= set(expected)


def test_no_question_of_the_public_recordings_was_copied() -> None:
    paths = [DATA / "eicu_ac" / "original.jsonl", DATA / "mind2web_sc" / "original.jsonl"]
    if not all(path.exists() for path in paths):
        pytest.skip("the public recordings are not here")
    logs = "".join(path.read_text(encoding="utf-8") for path in SESSIONS.glob("*/*/*.jsonl"))
    memory = "".join(path.read_text(encoding="utf-8") for path in SESSIONS.glob("*/memory.jsonl"))
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            for key in ("question", "task", "template"):
                text = str(record.get(key) or "").strip()
                assert not text or text not in logs + memory
