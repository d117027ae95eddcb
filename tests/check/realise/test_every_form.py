"""A wrong clause over any form of a value is refuted by a run that the guard decides so."""

from __future__ import annotations

import pytest

from tests.check.realise.parcel_agent import SPEC, policy
from tests.check.realise.test_wrong_versions import live_verdict, proof_of
from workbench.check.realise.realiser import Executed, Realiser
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.model import Proof, ProofStatus, Run, Verdict
from workbench.policy.terms import Not

_RULE = (
    '"x" in call.tags or call.url.host == "evil.org" or "rm" in call.command.programs'
    ' or call.mail.domain != "ours.org" or run.box(call.nr) is None'
)
FORMS = {
    # pairs
    "any pair": "not any(a == b for a, b in zip(call.tags, call.names))",
    "all pairs": "all(a == b for a, b in zip(call.tags, call.names))",
    # comparisons of sets
    "subset": "{t for t in call.tags} <= {n for n in call.names}",
    "equal sets": "{t for t in call.tags} == {n for n in call.names}",
    "subset in an earlier call": (
        "not any({t for t in c.tags} <= {n for n in call.names} and c.nr > 3 for c in run.earlier(Send))"
    ),
    # lists inside earlier calls
    "member of a list": 'not any("y" in c.tags for c in run.earlier(Send))',
    "element of a list": "not any(any(t == call.kind for t in c.tags) for c in run.earlier(Send))",
    "length of a list": "not any(len(c.tags) > 2 for c in run.earlier(Send))",
    "calls of two tools": (
        "not any(c.nr > 3 and any(d.nr == c.nr for d in run.earlier(See)) for c in run.earlier(Send))"
    ),
    # records of earlier calls
    "record of an earlier call": (
        'not any(run.box(c.nr) is not None and run.box(c.nr).size > Decimal("5") for c in run.earlier(Send))'
    ),
    # parts of kinds
    "host": 'call.url.host != "bad.org"',
    "scheme": 'call.url.scheme == "https"',
    "domains beside a host": '"evil.org" not in call.url.domains',
    "program": '"sudo" not in call.command.programs',
    "programs": 'not ("push" in call.command.programs and "git" in call.command.programs)',
    "programs of a set": 'call.command.programs <= {"ls", "cat"}',
    "call of a program": '"git push" not in call.command.calls',
    "started program": 'not any(s.name == "git" and s.first == "push" for s in call.command.started)',
    "file that is read": 'not any(p.absolute == "/etc/passwd" for p in call.command.reads)',
    "file that is written": 'not any(p.absolute == "/etc/passwd" for p in call.command.writes)',
    "file outside a folder": 'all("/repo" in p.inside for p in call.command.writes)',
    "number of programs": "sum(1 for s in call.command.started) < 3",
    "option of a program": (
        'not any(s.name == "rsync" and "--delete" in s.options for s in call.command.started)'
    ),
    "path of a program": 'not any(any(p.name == "id_rsa" for p in s.paths) for s in call.command.started)',
    "two programs": (
        'not (any(s.name == "cat" for s in call.command.started)'
        ' and any(s.name == "wc" for s in call.command.started))'
    ),
    "a file that is read and one that is written": (
        'not (any(p.suffix == ".pem" for p in call.command.reads)'
        ' and any(p.folder == "/tmp" for p in call.command.writes))'
    ),
    "program of an earlier call": (
        'not any("sudo" in c.command.programs and c.succeeded for c in run.earlier(Send))'
    ),
    "host of an earlier call": (
        'not any(c.url.host == "bad.org" and c.nr == call.nr for c in run.earlier(Send))'
    ),
    "file that an earlier call wrote": (
        'not any(any(p.absolute == "/etc/hosts" for p in c.command.writes) for c in run.earlier(Send))'
    ),
    "host of an element of a list": 'not any(link.host == "bad.org" for link in call.links)',
    "hosts of the elements of a list": 'all(link.host == "ours.org" for link in call.links)',
    "element of a list of an earlier call": (
        'not any(any(link.host == "bad.org" for link in c.links) for c in run.earlier(Send))'
    ),
    "local part": 'call.mail.local != "root"',
    "folder": '"/repo" in call.path.inside',
    "suffix": 'call.path.suffix != ".exe"',
    "name of a file": 'call.path.name != "passwd"',
    "amount": 'call.fee.value <= Decimal("100")',
    "currency": 'call.fee.currency == "EUR"',
}


@pytest.fixture(scope="module")
def wrong() -> tuple[LoweredPolicy, Proof]:
    """The policy whose rule makes no clause hold, with the verdicts on its clauses."""
    return proof_of(policy(_RULE, *(f"Implies(Result(), {clause})" for clause in FORMS.values())), SPEC)


@pytest.mark.parametrize(("number", "form"), list(enumerate(FORMS)), ids=FORMS)
def test_a_wrong_clause_is_refuted_by_a_run(
    wrong: tuple[LoweredPolicy, Proof], number: int, form: str
) -> None:
    lowered, proof = wrong
    verdict = proof.clauses[number]
    assert verdict.status is ProofStatus.REFUTED, (form, verdict.why)
    example = verdict.counterexample
    assert example is not None
    assert example.realised is not None
    assert live_verdict(lowered, example.realised, SPEC) is Verdict.ALLOW
    mended = lowered_policy(policy(f"{_RULE} or not ({FORMS[form]})"), SPEC)
    assert live_verdict(mended, example.realised, SPEC) is Verdict.DENY


def test_the_runs_that_are_made_near_an_input_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    execute = Realiser.execute

    def counted(realiser: Realiser, run: Run) -> Executed:
        made.append(1)
        return execute(realiser, run)

    monkeypatch.setattr(Realiser, "execute", counted)
    without, few, more = (_runs_made(made, near) for near in (0, 2, 9))
    assert without < few <= without + 2 < more <= without + 9


def _runs_made(made: list[int], near: int) -> int:
    """The runs that a search makes which accepts none."""
    made.clear()
    terms = lowered_policy(policy(_RULE, FORMS["member of a list"]), SPEC).terms
    found = Realiser(terms, SPEC).searched(Not(terms.clauses[0].term), "send", lambda _: False, near=near)
    assert found is None
    return len(made)
