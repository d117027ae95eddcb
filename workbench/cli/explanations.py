"""Commands about single decisions and their causes: explain, denials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.open_session import reading, writing
from workbench.cli.output import note, progress, write, write_json
from workbench.cli.parameters import AsJson, LogFiles, OtherPolicy, SessionPath, policy_name, policy_text
from workbench.model import Judgement

if TYPE_CHECKING:
    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Logs
    from workbench.app.workbench import Workbench


def explain(
    session: SessionPath,
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run in the logs.")],
    call: Annotated[
        int | None,
        typer.Option(
            "--call",
            metavar="N",
            help="Explain this call of the run, from 0; without it, every one that is not allowed.",
        ),
    ] = None,
    log: LogFiles = None,
    policy: OtherPolicy = None,
    as_json: AsJson = False,
) -> int:
    """Explain the decision on a recorded call.

    Shows which rules fired on which values, and the characters of the log that these came from; the
    smallest change that would turn the decision, where the agent could make it first; and the nearest
    recorded call with the other decision. With --json one object a call, one a line.
    """
    from workbench.cli.explanation_text import explanation_lines

    source = policy_text(policy)
    with reading(session) as bench:
        terms = bench.policy.terms(source, policy_name(policy))
        progress("Reading the logs")
        logs = bench.runs.load(log, terms=terms)
        progress("Explaining")
        call_explanations = bench.runs.explain(terms, logs, run, call)
        aloud = {rule_aloud.name: rule_aloud.sentence for rule_aloud in bench.rules.aloud(terms.file.text)}
    for place, call_explanation in enumerate(call_explanations):
        if as_json:
            write_json(call_explanation.to_json(), terms.file.words)
            continue
        if place:
            write()
        for line in explanation_lines(call_explanation, aloud, terms.file.words):
            write(line)
    for problem in logs.problems:
        note(f"{problem.path}:{problem.line}: {problem.reason}")
    return 0


def denials(
    session: SessionPath,
    log: LogFiles = None,
    policy: OtherPolicy = None,
    judge: Annotated[
        tuple[str, Judgement] | None,
        typer.Option(
            "--judge",
            metavar="KEY right|false-alarm",
            help="Judge a whole group: its arguments become cases with the decision that is right.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Group the calls that are not allowed by their cause.

    A group can be judged as a whole; the judgement is stored as cases of the session.
    """
    from workbench.app.json_output.runs import DENIED
    from workbench.cli.explanation_text import denial_lines

    source = policy_text(policy)
    with reading(session) if judge is None else writing(session) as bench:
        terms = bench.policy.terms(source, policy_name(policy))
        progress("Reading the logs")
        logs = bench.runs.load(log, terms=terms)
        if judge is not None:
            return _judged(bench, terms, logs, *judge, as_json=as_json)
        decided = bench.runs.decide(terms, logs)
        groups = bench.judging.denials(terms, decided)
    if as_json:
        for group in groups:
            write_json(DENIED.write((group, decided)), terms.file.words)
    else:
        for line in denial_lines(groups, decided):
            write(terms.file.words.said(line))
    for problem in logs.problems:
        note(f"{problem.path}:{problem.line}: {problem.reason}")
    return 0


def _judged(
    bench: Workbench, terms: PolicyTerms, logs: Logs, key: str, judgement: Judgement, *, as_json: bool
) -> int:
    """Judge one group and write the result; 1 if another case says otherwise."""
    from workbench.clean_text import counted

    group = bench.judging.denial_named(terms, logs, key)
    judged = bench.judging.judge((group,), judgement)
    if as_json:
        from workbench.app.json_output.runs import JUDGED

        write_json(JUDGED.write((group, judgement, judged)))
    else:
        write(f"{group.key} is judged {judgement.value}: {counted(len(judged.cases), 'case')} stored.")
    for case_id in judged.contradicted:
        note(f"The case {case_id} expects another decision on the same arguments; change or remove it.")
    return 1 if judged.contradicted else 0
