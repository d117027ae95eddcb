"""A table of counts: the sentences of requests in prose that are read at once, without an answer.

``DATA`` is a folder with requests as ``authoring/NAME/{request.md,tools.json}`` and
``tau_airline/{policy.md,tools.json}``. Each is read with the arguments that its tools imply. It is read again
with those of a session's ``agent.toml`` if one exists under ``benchmarks/sessions``. With ``--aloud`` the
rules of these sessions are written as sentences, and each sentence is read again.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from workbench.author.rules import RulesAuthor
from workbench.engines.smt.preview import PreviewUndecided, equivalent
from workbench.model import AgentSpec, Draft, SentenceRole
from workbench.policy.check import check
from workbench.policy.read_aloud import rule_sentence
from workbench.policy.terms import PolicyTerms
from workbench.runs.extract.observe import arguments_of
from workbench.session.agent_file import read_agent
from workbench.session.tool_list import read_tools

SESSIONS = Path(__file__).parent / "sessions"
OWN = {
    "tau_airline": "airline-desk",
    "coding": "authoring-coding",
    "expenses": "authoring-expenses",
    "warehouse": "authoring-warehouse",
}
NO_FORM = "its form is none that the language has"


def requests(data: Path) -> Iterator[tuple[str, str, AgentSpec]]:
    """The name, the text and the agent spec (from its tools) of every request."""
    folders = [*sorted((data / "authoring").iterdir()), data / "tau_airline"]
    for folder in folders:
        request = next(
            (folder / name for name in ("request.md", "policy.md") if (folder / name).is_file()), None
        )
        if request is not None:
            tools = read_tools((folder / "tools.json").read_text(encoding="utf-8"), str(folder))
            spec = AgentSpec(folder.name, tools=tools, arguments=arguments_of(tools, ()))
            yield folder.name, request.read_text(encoding="utf-8"), spec


def own_agent(name: str) -> AgentSpec:
    """The agent spec of a session under ``benchmarks/sessions``."""
    path = SESSIONS / name / "agent.toml"
    return read_agent(path.read_text(encoding="utf-8"), str(path))


def counted(draft: Draft) -> Counter[str]:
    """The number of sentences for each way of reading them."""
    counts: Counter[str] = Counter()
    for sentence in draft.sentences:
        why = [
            doubt.facts.get("reason", "")
            for doubt in draft.doubts
            if sentence.span.start <= doubt.span.start and doubt.span.end <= sentence.span.end
        ]
        kind = sentence.role.value if sentence.role is not SentenceRole.OPEN else "word"
        counts["form" if kind == "word" and NO_FORM in why else kind] += 1
    return counts


def row(name: str, arguments: str, request: str, spec: AgentSpec) -> str:
    """A row of the table."""
    counts = counted(RulesAuthor().draft(request, spec, {}))
    cells = [counts[kind] for kind in ("requirement", "context", "word", "form")]
    return f"| {name} | {arguments} | {sum(counts.values())} | {' | '.join(map(str, cells))} |"


def read_back(name: str) -> str:
    """The number of rules of a session that are the same rule when their sentence is read, by the solver."""
    spec = own_agent(name)
    policy = check((SESSIONS / name / "policy.py").read_text(encoding="utf-8"))
    forbids = [rule for rule in policy.rules if rule.forbids]
    counts: Counter[str] = Counter()
    for rule in forbids:
        draft = RulesAuthor().draft(rule_sentence(rule, policy), spec, {"default-decision": "allow"})
        if any(sentence.role is not SentenceRole.REQUIREMENT for sentence in draft.sentences):
            counts["asked"] += 1
            continue
        alone = replace(policy, rules=(rule,), clauses=(), preconditions=(), default_allow=True)
        counts[_compared(alone, replace(check(draft.policy), clauses=()))] += 1
    cells = [counts[kind] for kind in ("same", "unknown", "other", "asked")]
    return f"| {name} | {len(forbids)} | {' | '.join(map(str, cells))} |"


def _compared(policy: PolicyTerms, other: PolicyTerms) -> str:
    """Whether two policies are the same; unknown if the solver cannot decide."""
    try:
        return "same" if equivalent(policy, other) else "other"
    except PreviewUndecided:
        return "unknown"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--aloud", action="store_true")
    options = parser.parse_args()
    print("| request | arguments | sentences | read | context | a word is asked about | no form |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name, request, spec in requests(options.data):
        print(row(name, "of its tools", request, spec))
        if name in OWN:
            print(row(name, "of its session", request, own_agent(OWN[name])))
    if options.aloud:
        print()
        print("| session | rules that forbid | the same rule | not known | another rule | asked about |")
        print("|---|---:|---:|---:|---:|---:|")
        for name in OWN.values():
            print(read_back(name))


if __name__ == "__main__":
    main()
