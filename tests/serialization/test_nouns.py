"""The data that ``workbench evidence`` prints."""

from __future__ import annotations

import json

from tests.check.test_evidence import CALLS, REQUIREMENTS, SOURCE
from tests.plain_policies import check
from workbench.check.evidence import evidence
from workbench.engines.smt.preview import preview, vacuity
from workbench.serialization.nouns import json_of


def test_the_matrix_is_json() -> None:
    terms = check(SOURCE)
    measured = evidence(
        terms, requirements=REQUIREMENTS, proofs=(preview(terms),), vacuity=vacuity(terms), decisions=CALLS
    )
    loaded = json.loads(json.dumps(json_of(measured)))
    assert loaded["clauses"][0]["verdicts"] == [{"engine": "cvc5", "status": "proved", "why": ""}]
    assert loaded["clauses"][0]["call_examples"] == [{"run": "t1", "call": 0}, {"run": "t1", "call": 2}]
    assert loaded["clauses_never_exercised"] == ["C2"]
