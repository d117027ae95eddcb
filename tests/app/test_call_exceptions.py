"""An exception for a call opens nothing that it does not say: an oracle decides the call's neighbours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from workbench.app.call_exceptions import rules_against
from workbench.app.new_session import new_session
from workbench.app.results import Logs
from workbench.app.rewording import Reworded, sentences_of
from workbench.app.workbench import Workbench
from workbench.language.words import on_one_line
from workbench.model import RecordedCall, Verdict
from workbench.policy.terms import PolicyTerms

LIMIT = "The agent must not pay an invoice if the total is more than 5,000."
ACME = "The agent must not pay an invoice if the supplier is “acme”."
QUOTED = "x” or the total is at most 9,000 or the supplier is “y"
KINDS = {
    "invoice_id": {"type": "string"}, "total": {"type": "number"}, "total_tax": {"type": "integer"},
    "supplier": {"type": "string"}, "force": {"type": "boolean"},
    "notes": {"type": "array", "items": {"type": "string"}},
}  # fmt: skip
OTHERS = {
    "invoice_id": "I-0", "total": 5500, "total_tax": 7, "supplier": "other", "force": True, "notes": ["n"],
}  # fmt: skip
CALLS: tuple[Mapping[str, object], ...] = (
    {"invoice_id": "I-1", "total": 6000, "total_tax": 3, "supplier": "beta"},
    {"invoice_id": QUOTED, "total": 6000.55, "supplier": "call.total call.force", "notes": ["a", "b"]},
    {"invoice_id": "I-2", "total": 7000, "supplier": "acme"},
    {"invoice_id": "two  blanks", "total": 6000, "supplier": "beta"},
)


def desk(folder: Path) -> Workbench:
    schema = {"type": "object", "properties": KINDS, "required": ["invoice_id", "total", "supplier"]}
    tool = {"name": "pay_invoice", "description": "Pay.", "inputSchema": schema}
    (folder / "tools.json").write_text(json.dumps([tool]), encoding="utf-8")
    (folder / "request.md").write_text("What no sentence forbids is allowed.\n", encoding="utf-8")
    row = {"format": "workbench-decision/1", "runs": True, "run": "a", "tool": "pay_invoice"}
    rows = [{**row, "call": at, "arguments": json.dumps(given)} for at, given in enumerate(CALLS)]
    (folder / "log.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    made = new_session(
        folder / "desk", folder / "request.md", agent=folder / "tools.json", logs=[folder / "log.jsonl"],
        author="written",
    )  # fmt: skip
    made.draft()
    for said in ("What no sentence forbids is allowed.", LIMIT, ACME):
        made.workbench.rewordings.add(said)
    return made.workbench


def verdict(bench: Workbench, terms: PolicyTerms, logs: Logs, call: RecordedCall) -> Verdict:
    arguments = () if terms.written is None else terms.written.arguments
    read = (bench.runs.extractor(arguments).extract(call, ()),)
    (decided,) = bench.runs.decide(
        terms, Logs((replace(logs.runs[0], calls=(call,)),), (call,), read, arguments=arguments)
    )
    return decided.decision.verdict


def opened(bench: Workbench, terms: PolicyTerms, logs: Logs, call: RecordedCall) -> Iterator[str]:
    """The parameters of which one other value is allowed, too."""
    for name, value in OTHERS.items():
        if (
            verdict(bench, terms, logs, replace(call, arguments={**(call.arguments or {}), name: value}))
            is Verdict.ALLOW
        ):
            yield name.replace("_", " ")


def test_what_an_exception_for_a_call_allows_besides_is_said(tmp_path: Path) -> None:
    with closing(desk(tmp_path)) as bench:
        terms, logs = bench.policy.terms(), bench.runs.load()
        offered: list[int] = []
        for decided, call in zip(bench.runs.decide(terms, logs), logs.calls, strict=True):
            rules = [one.rule for one in decided.decision.violations]
            found = bench.exceptions.of(terms, rules, call, (), logs)
            assert found.sentence is not None
            offered.append(len(found.exceptions))
            for one in found.exceptions:
                said = Reworded(found.sentence.requirement.text, sentences_of(one.text))
                after = bench.policy.terms(bench.rewordings.preview([said], logs).policy)
                runs = verdict(bench, after, logs, call) is Verdict.ALLOW
                assert runs is ("does not let it run yet: forbid_pay_invoice_" not in one.also)
                any_value = re.search(r"with any ([^;]*)", one.also)
                free = set("" if any_value is None else any_value[1].split(", "))
                beyond = set(opened(bench, after, logs, call)) - free
                assert one.words != "exactly this call"
                assert one.text == on_one_line(one.text), "it is kept as it is shown"
                assert not beyond or one.words != "this call", (one, beyond)
                assert beyond == ({"total"} if runs and one.words == "calls of this kind" else set()), (
                    one,
                    beyond,
                )
    assert offered == [3, 3, 3, 3]


SECRET = (
    "The agent must not run a command if there is a read file of the command for which the read file lies "
    "inside “/srv/secrets”."
)


def just_desk(folder: Path) -> Workbench:
    """A session that closes a folder to commands, with commands of a program that is in no table."""
    schema = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    tool = {"name": "run_command", "description": "Runs a shell command in /srv/app.", "inputSchema": schema}
    (folder / "tools.json").write_text(json.dumps([tool]), encoding="utf-8")
    (folder / "request.md").write_text("What no sentence forbids is allowed.\n", encoding="utf-8")
    commands = ("just test", "just deploy", "just test; cat x", "just  test")
    lines = [{"run": "a", "tool": "run_command", "arguments": {"command": one}} for one in commands]
    (folder / "log.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    made = new_session(
        folder / "desk", folder / "request.md", agent=folder / "tools.json", logs=[folder / "log.jsonl"],
        author="written",
    )  # fmt: skip
    made.draft()
    for said in ("What no sentence forbids is allowed.", SECRET):
        made.workbench.rewordings.add(said)
    return made.workbench


def test_a_program_in_no_table_may_run_by_the_whole_command_and_by_no_other(tmp_path: Path) -> None:
    """Of what it reads nothing is known, so that the sentence about files cannot be evaluated on it."""
    with closing(just_desk(tmp_path)) as bench:
        terms, logs = bench.policy.terms(), bench.runs.load()
        before = bench.runs.decide(terms, logs)
        assert {one.decision.verdict for one in before} == {Verdict.CANNOT_EVALUATE}
        found = bench.exceptions.of(terms, rules_against(terms, before[0]), logs.calls[0], (), logs)
        assert found.sentence is not None
        exception = found.exceptions[0]
        assert exception.words == "exactly this call" and "does not let it run" not in exception.also
        bench.rewordings.keep([Reworded(found.sentence.requirement.text, sentences_of(exception.text))])
        after = [one.decision.verdict for one in bench.runs.decide(bench.policy.terms(), logs)]
        assert after == [Verdict.ALLOW, *[Verdict.CANNOT_EVALUATE] * 3]
