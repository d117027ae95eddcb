"""The shipped sessions that a model drafted: from prose to a proved policy, replayed from recorded calls."""

from __future__ import annotations

import json
import re
import shutil
import socket
from functools import cache
from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.check.cases_run import run_cases
from workbench.check.proof import Prover
from workbench.cli import main
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import preview
from workbench.model import Json, MadeBy, ProofStatus, SentenceRole, Verdict
from workbench.policy.render import format_policy
from workbench.session.versions import round_of

SESSIONS = Path(__file__).resolve().parents[2] / "sessions"
NAMES = ("web-shopping-model", "hospital-access-model")
MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m"


@pytest.fixture(autouse=True)
def no_network_and_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def refuse(self: socket.socket, address: object) -> None:
        # The verifier that the sessions of this machine share is behind a Unix socket.
        assert self.family == socket.AF_UNIX, "a replay must not connect"
        connect(self, address)  # pyright: ignore[reportArgumentType] - passed on as it came

    monkeypatch.setattr(socket.socket, "connect", refuse)
    for name in ("WORKBENCH_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@cache
def opened(name: str) -> Workbench:
    """The shipped session, which no test changes; it is drafted once."""
    return Workbench.open(SESSIONS / name, read_only=True, replay_calls=True)


def calls(name: str) -> list[dict[str, Json]]:
    text = (SESSIONS / name / "calls.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("name", NAMES)
def test_the_recorded_calls_draft_the_shipped_policy_byte_for_byte(name: str) -> None:
    bench = opened(name)
    draft = bench.request.draft()
    assert format_policy(draft.policy) == bench.session.policy
    assert all(sentence.role is not SentenceRole.OPEN for sentence in draft.sentences)
    by_model = [case for case in bench.session.cases if case.origin == "model"]
    assert tuple(case.id for case in by_model) == tuple(case.id for case in draft.cases)
    assert len(by_model) >= 5


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_of_the_drafted_contract_is_proved_and_every_case_passes(name: str) -> None:
    bench = opened(name)
    proof = preview(bench.policy.terms())
    assert proof.status is ProofStatus.PROVED
    assert len(proof.clauses) >= 6
    run = run_cases(bench.session.policy, bench.session.cases)
    assert (run.failed, run.why) == ((), "")


@pytest.mark.nagini
@pytest.mark.parametrize("name", NAMES)
def test_the_verifier_proves_what_the_model_drafted(name: str, prover: Prover) -> None:
    bench = Workbench(opened(name).session, prover=prover)
    assert bench.proof.prove(bench.policy.terms()).status is ProofStatus.PROVED


@pytest.mark.parametrize("name", NAMES)
def test_the_records_say_which_model_wrote_them_and_hold_nothing_secret(name: str) -> None:
    path = SESSIONS / name / "calls.jsonl"
    assert path.stat().st_size < 2_000_000
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"sk-[A-Za-z0-9]|[Bb]earer |[Aa]uthorization|/home/|/work/|/tmp/", text)
    for call in calls(name):
        assert call["replied_by"] == MODEL
        assert isinstance(call["usage"], dict)
        assert call["usage"]["reply_tokens"]


@pytest.mark.parametrize("name", NAMES[:1])
def test_every_round_can_be_looked_at_and_gone_back_to(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(SESSIONS / name, folder)
    bench = Workbench.open(folder, replay_calls=True)
    try:
        rounds = bench.request.draft().rounds
        assert len(rounds) >= 1
        assert (
            bench.policy.version("round:0") == round_of(bench.request.draft(), "0").policy == rounds[0].policy
        )
        before = bench.session.policy
        bench.policy.take_round(0)
        assert bench.session.policy == format_policy(rounds[0].policy)
        bench.session.undo()
        assert bench.session.policy == before
    finally:
        bench.close()
    assert main(["draft", str(folder), "--replay-calls", "--round", "99"]) == 2


def test_rules_and_contract_read_the_contradiction_apart_and_while_it_is_open_no_flight_is_allowed() -> None:
    bench = opened("web-shopping-model")
    (question,) = [
        open_question
        for open_question in bench.questions.understand().open
        if open_question.id.startswith("differs:")
    ]
    assert "vaccine == false" in question.quote
    assert question.default == ""
    policy = compile_policy(bench.policy.terms())
    person = {"age": 30, "domestic": True, "dr_license": True, "membership": True, "action": "book_flight"}
    for vaccine in (True, False):
        assert policy.decide({**person, "vaccine": vaccine}).verdict is Verdict.DENY
    # Neither answer needs another model call: both readings are stored.
    for value, allowed in (("contract", True), ("rules", False)):
        draft = bench.request.draft({question.id: value})
        decided = compile_policy(bench.policy.terms(format_policy(draft.policy)))
        assert preview(decided.terms).status is ProofStatus.PROVED
        for vaccine in (True, False):
            wanted = Verdict.ALLOW if vaccine is allowed else Verdict.DENY
            assert decided.decide({**person, "vaccine": vaccine}).verdict is wanted


def test_a_contract_that_let_the_list_be_left_was_sent_back_and_came_right() -> None:
    retries = [call for call in calls("hospital-access-model") if "try 2" in str(call["sent"])]
    reasons = " ".join(json.dumps(call["sent"]) for call in retries)
    assert "any of columns is in LIST_1" in reasons
    assert "about every action there is" in reasons
    assert "never denies anything" in reasons


def test_the_hospital_denies_what_a_role_may_not_read_and_a_person_s_answers_allow_the_front_office() -> None:
    bench = opened("hospital-access-model")
    policy = compile_policy(bench.policy.terms())
    inputs = [
        ("general administration", {"cost.cost"}, Verdict.ALLOW),
        ("general administration", {"cost.cost", "lab.labname"}, Verdict.DENY),
        ("nursing", {"intakeoutput.celllabel"}, Verdict.ALLOW),
        ("nursing", {"cost.cost"}, Verdict.DENY),
        ("physician", {"patient.gender"}, Verdict.ALLOW),
        ("physician", {"intakeoutput.celllabel"}, Verdict.DENY),
    ]
    for role, columns, wanted in inputs:
        assert policy.decide({"role": role, "columns": frozenset(columns)}).verdict is wanted
    # Before an answer, the role that the model guessed was allowed nothing.
    strict = compile_policy(bench.policy.terms(format_policy(bench.request.draft({}).policy)))
    front = {"role": "general administration", "columns": frozenset({"cost.cost"})}
    assert strict.decide(front).verdict is Verdict.DENY
    opened_by = {question.id.partition(":")[0] for question in bench.request.draft({}).questions}
    assert opened_by == {"default", "word", "empty", "case"}
    assert {assumption.made_by for assumption in bench.session.assumptions} == {MadeBy.HUMAN}


def test_the_hospital_of_the_model_decides_the_logs_as_the_shipped_policy_does() -> None:
    by_model, by_rules = opened("hospital-access-model"), opened("hospital-access")
    verdicts = [
        [decided.decision.verdict for decided in bench.runs.decide(bench.policy.terms(), bench.runs.load())]
        for bench in (by_model, by_rules)
    ]
    assert verdicts[0] == verdicts[1]
    assert {Verdict.ALLOW, Verdict.DENY} <= set(verdicts[0])
