"""The tables of the two papers on one page with plots: measured, published, or marked as needing a model.

Run: python benchmarks/papers_tables.py DATA --out PAGE.md [--kept FOLDER] [--replay-calls] [--limit N]

DATA is a folder with the recordings. The plots are written next to the page, each named after the page.
Guards that ask a model are compared if the environment names one (WORKBENCH_MODEL, OPENAI_BASE_URL) and
--kept names the folder of their calls and results; otherwise each of their rows states that it needs a model.
Every row names what made its guard. For a model that is the name that replied, so that a small model or
replies by hand are visible.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import mean
from string import Template
from time import process_time

from guard_comparison.comparison import ComparedRequest, GuardComparison
from guard_comparison.dataset import Dataset
from guard_comparison.figures_report import CALL_COLUMNS, Evaluation, GuardRow, bounds_table
from guard_comparison.guards.defences import Defence
from guard_comparison.guards.policy import SessionPolicy
from guard_comparison.plot import evaluation_plot
from guard_comparison.readers import read_dataset
from guard_comparison.setup import Ablation, GuardName
from guard_comparison.stages import stage_costs, stage_table
from guard_comparison.statistics import Share
from guard_comparison.without_toolbox import without_toolbox

from workbench.app.workbench import Workbench
from workbench.author.model.settings import settings_from
from workbench.check.cases_generate import generate_cases
from workbench.cli.output import markdown_table
from workbench.guardagent.action import agent_text
from workbench.guardagent.guard_agent import run_code
from workbench.guardagent.prompts import GuardAgentTask, code_messages, plan_messages
from workbench.guardagent.toolbox import Toolbox
from workbench.memory.call_texts import call_texts
from workbench.memory.retrieval import DemonstrationIndex
from workbench.memory.retrieval_order import Order
from workbench.model import Demonstration, WorkbenchError

ROOT = Path(__file__).resolve().parent.parent
NEEDS = "needs a model"
NO_MODEL = "no model"
ASKING = (
    GuardName.DIRECT,
    GuardName.HARDCODED,
    GuardName.CLASSIFIER,
    GuardName.MONITOR,
    GuardName.ADAPTIVE,
    GuardName.GUARDAGENT,
    *(f"{GuardName.DIRECT}+{defence}" for defence in Defence),
)
ABLATIONS = {
    Ablation.DEMONSTRATIONS: "GuardAgent with 0 to 3 demonstrations (k sweep)",
    Ablation.LEAST_SIMILAR: "GuardAgent with the least similar demonstrations",
    Ablation.NO_TOOLBOX: "GuardAgent without a toolbox",
    Ablation.NO_TOOLBOX_REWRITTEN: "GuardAgent without a toolbox, the examples rewritten",
    Ablation.NO_DEBUGGING: "GuardAgent without debugging",
}
MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Compared:
    """A data set with the session whose policy decides it.

    ``ablated`` says whether parts of GuardAgent are left out one by one; ``roles`` whether examples are
    grouped by role, not by rule.
    """

    title: str
    session: str
    data: str
    kind: str = ""
    ablated: bool = False
    roles: bool = False
    made_by: str = f"written by hand, {NO_MODEL}"


SETS = (
    Compared(
        "EICU-AC",
        "sessions/hospital-access",
        "eicu_ac/original.jsonl",
        ablated=True,
        roles=True,
    ),
    Compared(
        "Mind2Web-SC",
        "sessions/web-shopping",
        "mind2web_sc/original.jsonl",
        ablated=True,
        made_by=f"written by hand, {NO_MODEL}; actions by phrases",
    ),
    Compared("Agent Security Bench", "benchmarks/sessions/own-tools", "asb/runs.jsonl"),
    Compared("AgentDojo banking", "benchmarks/sessions/payments", "agentdojo/traces.jsonl", kind="banking"),
    Compared("AgentDojo slack", "benchmarks/sessions/team-chat", "agentdojo/traces.jsonl", kind="slack"),
)


@dataclass(frozen=True, slots=True)
class Asking:
    """How models are asked: the folder of their stored calls, and whether only stored calls answer."""

    folder: Path | None
    replay_only: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """The evaluation of a data set, with the makers of the deciding policies."""

    of: Compared
    evaluation: Evaluation
    made_by: dict[str, str] = field(default_factory=dict[str, str])

    def maker(self, row: GuardRow) -> str:
        """The maker of the decisions in a row."""
        if "(control)" in row.guard:
            return "control"
        models = sorted({stage.model for stage in self.evaluation.stages})
        return self.made_by.get(row.guard) or ", ".join(models) or self.of.made_by


def measured(compared: Compared, data: Path, asking: Asking, limit: int) -> Measured:
    """Compare the guards on one data set; each further session adds the row of its policy."""
    path = str(data / compared.data)
    alone = ComparedRequest(guards=(GuardName.POLICY,), kind=compared.kind, limit=limit)
    evaluation = _evaluated(compared.session, alone, path)
    made_by = {row.guard: compared.made_by for row in evaluation.rows if "policy" in row.guard}
    rows = list(evaluation.rows)
    kinds = {kind: dict(scores) for kind, scores in evaluation.calls_by_kind.items()}
    model_evaluation = _of_models(compared, alone, path, asking)
    if model_evaluation is not None:
        known = {row.guard for row in rows}
        rows += [row for row in model_evaluation.rows if row.guard not in known]
        for kind, scored in model_evaluation.calls_by_kind.items():
            kinds[kind] |= {guard: scores for guard, scores in scored.items() if guard not in known}
    whole = replace(
        evaluation,
        dataset=compared.title,
        rows=tuple(rows),
        calls_by_kind=kinds,
        stages=() if model_evaluation is None else model_evaluation.stages,
    )
    return Measured(compared, whole, made_by)


def _of_models(compared: Compared, alone: ComparedRequest, path: str, asking: Asking) -> Evaluation | None:
    """The guards that ask a model, and their ablations; None if no model is asked."""
    if asking.folder is None:
        return None
    request = replace(
        alone,
        guards=ASKING,
        ablations=tuple(ABLATIONS),
        k=MOST_EXAMPLES,
        folder=asking.folder / compared.title.replace(" ", "-"),
        replay_only=asking.replay_only,
    )
    return _evaluated(compared.session, request, path)


def _evaluated(session: str, request: ComparedRequest, data: str) -> Evaluation:
    with closing(Workbench.open(ROOT / session, read_only=True, replay_calls=True)) as bench:
        evaluation, _ = GuardComparison(bench, request).run(data)
        return evaluation


def comparison(evaluated: Measured) -> str:
    """Every guard on one data set, its maker, published figures, and the rows that need a model."""
    evaluation = evaluated.evaluation
    by_runs = any(row.runs is not None for row in evaluation.rows)
    columns: dict[str, str] = (
        {
            "attacks": "ASR",
            "untouched": "benign runs untouched",
            "own_calls": "own calls allowed",
            "tasks": "TSR",
        }
        if by_runs
        else {name: title.partition(" ")[0] for name, title in CALL_COLUMNS.items()}
    )
    head = ["guard", "made by", *(f"{title}, %" for title in columns.values())]
    if not by_runs:
        head += ["wrongly allowed", "cannot evaluate"]
    lines: list[list[str]] = []
    for row in evaluation.rows:
        scores = row.runs if by_runs else row.calls
        shares = [str(getattr(scores, name)) for name in columns]
        counts = [] if by_runs else [str(row.calls.wrongly_allowed), str(row.calls.undecided)]
        lines.append([row.guard, evaluated.maker(row), *shares, *counts])
    if not evaluation.stages:
        lines += [[f"`{name}`", NEEDS, *["-"] * (len(head) - 2)] for name in ASKING]
    for published in evaluation.published:
        shares = [f"{published.figures[name]:.1f}" if name in published.figures else "-" for name in columns]
        counts = [] if by_runs else ["-", "-"]
        lines.append([published.method, f"published: {published.source}", *shares, *counts])
    return markdown_table(head, lines)


def by_kind(row: Measured) -> str:
    """The policies, and guards that ask a model, for each role or rule of a data set of single actions."""
    head = ["role or rule", "guard", *(f"{title.partition(' ')[0]}, %" for title in CALL_COLUMNS.values())]
    lines = [
        [kind, guard, *(str(getattr(scores, name)) for name in CALL_COLUMNS)]
        for kind, guards in row.evaluation.calls_by_kind.items()
        for guard, scores in guards.items()
        if "(control)" not in guard
    ]
    return markdown_table(head, lines)


def ablations(all_found: Sequence[Measured]) -> str:
    """The scores of GuardAgent without a part, if a model is asked."""
    head = ["data set", "variant", *(f"{title.partition(' ')[0]}, %" for title in CALL_COLUMNS.values())]
    lines: list[list[str]] = []
    for evaluated in all_found:
        if evaluated.of.ablated:
            lines += [
                [evaluated.of.title, row.guard, *(str(getattr(row.calls, name)) for name in CALL_COLUMNS)]
                for row in evaluated.evaluation.rows
                if row.guard.startswith("GuardAgent")
            ]
            if not evaluated.evaluation.stages:
                lines += [
                    [evaluated.of.title, f"{description} (`--ablate {ablation}`): {NEEDS}"]
                    + ["-"] * len(CALL_COLUMNS)
                    for ablation, description in ABLATIONS.items()
                ]
    return markdown_table(head, lines)


def executable(all_found: Sequence[Measured]) -> str:
    """The share of code that runs: of models before and after debugging, and of the examples by hand."""
    head = ["whose code", "made by", "executable at once, %", "after debugging, %"]
    lines: list[list[str]] = []
    for evaluated in all_found:
        lines += [
            [
                f"{row.guard} on {evaluated.of.title}",
                evaluated.maker(row),
                str(row.code.before),
                str(row.code.after),
            ]
            for row in evaluated.evaluation.rows
            if row.code is not None
        ]
        if not evaluated.evaluation.stages:
            lines.append([f"`guardagent` on {evaluated.of.title}", NEEDS, "-", "-"])
    for name in ("hospital-access", "web-shopping", "travel-desk"):
        with closing(Workbench.open(ROOT / "sessions" / name, read_only=True)) as bench:
            examples = bench.session.demonstrations
            toolbox = bench.guardagent.toolbox()
        ways = {
            "with the toolbox": (examples, toolbox),
            "without it": (examples, Toolbox.empty()),
            "without it, rewritten": (without_toolbox(examples, toolbox), Toolbox.empty()),
        }
        for way, (codes, code_toolbox) in ways.items():
            title = f"the {len(examples)} examples of sessions/{name}, {way}"
            lines.append([title, "by hand", str(_running(codes, code_toolbox)), "-"])
    return markdown_table(head, lines)


def _running(examples: Sequence[Demonstration], toolbox: Toolbox) -> Share:
    ran = [
        run_code(
            example.code, GuardAgentTask("", "", example.agent_input, example.agent_output), toolbox
        ).label
        is not None
        for example in examples
    ]
    return Share(sum(ran), len(ran))


def words_by_k(data: Path) -> str:
    """The number of words in GuardAgent's two prompts for one action, by number and choice of examples."""
    head = ["data set", "k", "examples", "words sent for a plan", "words sent for code", ""]
    lines: list[list[str]] = []
    for compared in SETS[:2]:
        with closing(Workbench.open(ROOT / compared.session, read_only=True)) as bench:
            session = bench.session
        index = DemonstrationIndex(session.demonstrations)
        agent, toolbox = agent_text(session.spec), Toolbox.standard()
        calls = [
            call for example in read_dataset(data / compared.data).examples for call in example.run.calls
        ]
        for k in range(MOST_EXAMPLES + 1):
            for order in Order if k in (1, 2) else (Order.MOST_SIMILAR,):
                plans: list[int] = []
                codes: list[int] = []
                for call in calls:
                    query, done = call_texts(call)
                    shown = [retrieved.demonstration for retrieved in index.nearest(query, done, k, order)]
                    task = GuardAgentTask(session.request, agent, query, done)
                    plans.append(_words(message.content for message in plan_messages(task, shown)))
                    typical = ("",) * 4  # a model writes the words of the plan itself
                    messages = code_messages(task, typical, shown, toolbox)
                    codes.append(_words(message.content for message in messages))
                bar = "█" * round((mean(plans) + mean(codes)) / 100)
                chosen = "-" if k == 0 else order.value.replace("-", " ").replace("_", " ")
                lines.append(
                    [compared.title, str(k), chosen, f"{mean(plans):.0f}", f"{mean(codes):.0f}", bar]
                )
    return markdown_table(head, lines)


def _words(texts: Iterator[str]) -> int:
    return sum(len(text.split()) for text in texts)


def own_stages(data: Path) -> str:
    """Processor time of each stage that asks no model."""
    head = [
        "session",
        "read the request",
        "find questions",
        "test cases",
        "preview of all clauses",
        "one decision",
    ]
    lines: list[list[str]] = []
    for compared in SETS[:2]:
        with closing(Workbench.open(ROOT / compared.session, read_only=True)) as bench:
            terms = bench.policy.terms()
            drafting = _seconds(bench.request.draft)
            asking = _seconds(bench.questions.understand)
            testing = _seconds(partial(generate_cases, terms))
            proving = _seconds(partial(bench.proof.preview, terms))
            dataset = read_dataset(data / compared.data)
            guard = SessionPolicy(bench)
            deciding = _seconds(partial(_decided, guard, dataset)) / dataset.calls
            times = (drafting, asking, testing, proving)
            lines.append(
                [compared.session, *(f"{time:.2f} s" for time in times), f"{1000 * deciding:.2f} ms"]
            )
    return markdown_table(head, lines)


def _decided(guard: SessionPolicy, dataset: Dataset) -> None:
    for example in dataset.examples:
        for call in example.run.calls:
            guard.decide(call, example.run)


def _seconds(act: Callable[[], object]) -> float:
    start = process_time()
    act()
    return process_time() - start


def drafting_calls() -> str:
    """Words, tokens and time of each stage of drafting by a model, from the calls that sessions keep."""
    parts: list[str] = []
    for path in sorted((ROOT / "sessions").glob("*/calls.jsonl")):
        with closing(Workbench.open(path.parent, read_only=True, replay_calls=True)) as bench:
            parts.append(
                f"`{path.parent.relative_to(ROOT)}`:\n\n{stage_table(stage_costs(bench.session.calls))}"
            )
    return "\n\n".join(parts)


def page(data: Path, out: Path, asking: Asking, limit: int) -> str:
    """The page; its plots are written next to it."""
    all_found = [measured(compared, data, asking, limit) for compared in SETS]
    guards: list[str] = []
    drafting = [drafting_calls()]
    for row in all_found:
        title = row.of.title
        plot = out.with_name(f"{out.stem}-{title.lower().replace(' ', '-')}.svg")
        plot.write_text(evaluation_plot(row.evaluation), encoding="utf-8")
        count = f"{row.evaluation.examples} examples, {row.evaluation.decisions} decisions."
        guards += [f"### {title}", f"`DATA/{row.of.data}`: {count}", comparison(row)]
        guards.append(f"![{title}]({plot.name})")
        if row.evaluation.stages:
            drafting += [f"The guards that ask a model, on {title}:", stage_table(row.evaluation.stages)]
    kinds = [
        f"### {row.of.title}, by {'role' if row.of.roles else 'rule'}\n\n{by_kind(row)}"
        for row in all_found
        if row.evaluation.calls_by_kind
    ]
    bounds = [
        f"{row.of.title}:\n\n{bounds_table(row.evaluation.bounds)}"
        for row in all_found
        if row.evaluation.bounds is not None
    ]
    words = ["git", "rev-parse", "--short=8", "HEAD"]
    revision = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    template = Template((ROOT / "benchmarks/papers_page.md").read_text(encoding="utf-8"))
    return template.substitute(
        measured=f"{revision} ({datetime.now(UTC):%Y-%m-%d})",
        guards="\n\n".join(guards),
        kinds="\n\n".join(kinds),
        bounds="\n\n".join(bounds),
        executable=executable(all_found),
        ablations=ablations(all_found),
        sweep=words_by_k(data),
        stages=own_stages(data),
        drafting="\n\n".join(drafting),
    )


def main() -> None:
    """Measure everything and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, help="the folder with the recordings")
    parser.add_argument("--out", type=Path, required=True, help="the page; plots stand beside it")
    parser.add_argument("--kept", type=Path, default=None, help="keep calls and results of models here")
    parser.add_argument("--replay-calls", action="store_true", help="ask no model; the kept calls answer")
    parser.add_argument("--limit", type=int, default=0, help="take only the first examples of each set")
    namespace = parser.parse_args()
    model = settings_from(os.environ)
    if namespace.kept is not None and model is None:
        raise WorkbenchError(
            "--kept is for guards that ask a model: set WORKBENCH_MODEL and OPENAI_BASE_URL."
        )
    asking = Asking(namespace.kept, namespace.replay_calls)
    text = page(namespace.data, namespace.out, asking, namespace.limit)
    namespace.out.write_text(text, encoding="utf-8")
    print(f"{namespace.out} is written, with {len(SETS)} plots.")


if __name__ == "__main__":
    main()
