"""The command ``evaluate``: a policy's decisions on recorded calls against their labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import clean
from workbench.cli.open_session import reading
from workbench.cli.output import markdown_table, note_problems, tell
from workbench.cli.parameters import AsJson, Database, LogFiles, SessionPath
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from workbench.app.labelled_calls import LabelScore, LabelScores, Mislabelled

Labels = Annotated[
    Path,
    typer.Argument(
        help="JSON lines with run, call, and label (allow, deny) or breaks (a list of rules).",
        exists=True,
        dir_okay=False,
        show_default=False,
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(metavar="RUN:CALL", help="Leave out this call, whose label is disputed; may be repeated."),
]
_HEAD = ("refused by", "refused", "of them right", "beyond the label", "missed", "precision", "recall")


def evaluate(
    session: SessionPath,
    labels: Labels,
    log: LogFiles = None,
    database: Database = None,
    without: Without = None,
    as_json: AsJson = False,
) -> int:
    """Compare decisions on recorded calls with their labels.

    A call that cannot be evaluated, and one about which a person is asked, is refused. Nothing is learnt
    from the labels. Exits with 1 if a call is decided against its label.
    """
    from workbench.app.labelled_calls import label_scores, read_labels

    labelled = read_labels(labels)
    with reading(session) as bench:
        terms = bench.policy.terms()
        logs = bench.runs.load(log, database, terms=terms)
        note_problems(logs.problems)
        decided = bench.runs.decide(terms, logs)
    left_out = set(without or ())
    if unknown := left_out - {f"{run}:{call}" for run, call in labelled}:
        raise WorkbenchError(f"No label is of {min(unknown)}; write RUN:CALL as the labels name them.")
    scores = label_scores(
        [call for call in decided if f"{call.run}:{call.index}" not in left_out],
        {place: label for place, label in labelled.items() if f"{place[0]}:{place[1]}" not in left_out},
        [rule.name for rule in terms.rules],
    )
    tell(scores, map(clean, _lines(scores)), as_json=as_json)
    return 1 if scores.differing else 0


def _lines(scores: LabelScores) -> Iterator[str]:
    yield f"{scores.calls} calls, {scores.undecided} of them cannot be evaluated"
    yield ""
    named = [scores.labelled_rules] if scores.rules else []
    rows = [_row(score, score.name in scores.without_rule) for score in scores.rules]
    rows += [_row(score) for score in (*named, scores.policy, *scores.controls)]
    yield from markdown_table(_HEAD, rows).splitlines()
    if scores.differing:
        yield ""
    yield from map(_difference, scores.differing)


def _row(score: LabelScore, without_rule: bool = False) -> Sequence[str]:
    counts = (str(count) for count in (score.refused, score.right, score.beyond, score.missed))
    name = f"{score.name} (no rule)" if without_rule else score.name
    return (name, *counts, _percent(score.precision), _percent(score.recall))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _difference(wrong: Mislabelled) -> str:
    decision = wrong.decided.decision
    rules = ", ".join(sorted({violation.rule for violation in decision.violations})) or decision.verdict.value
    label = ", ".join(sorted(wrong.label.breaks)) or ("deny" if wrong.label.denied else "allow")
    return f"{wrong.decided.run} call {wrong.decided.index}: {rules}; its label: {label}"
