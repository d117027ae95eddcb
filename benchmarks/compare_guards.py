"""Guards compared on labelled recordings, beside controls and the figures that papers publish.

Run: python benchmarks/compare_guards.py SESSION DATA... (see --help, and docs/use/evaluate.md)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from guard_comparison.comparison import ComparedRequest, GuardComparison
from guard_comparison.figures_report import tables
from typer.exceptions import TyperException

from workbench.cli.open_session import reading
from workbench.cli.output import note, prepare_streams, write
from workbench.cli.parameters import Database, SessionPath
from workbench.model import WorkbenchError

_BAR = 30

Data = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA...",
        help="Labelled recordings.",
        show_default=False,
    ),
]
Guards = Annotated[
    list[str] | None,
    typer.Option(
        help="policy, direct, hardcoded, classifier, monitor, adaptive or guardagent; with "
        "+delimiters, +paraphrase or +rewrite after it. May be repeated. The controls always run.",
    ),
]
Ablations = Annotated[
    list[str] | None,
    typer.Option(
        help="k, least-similar, no-toolbox, no-toolbox-rewritten, no-debugging or stages. May be repeated."
    ),
]
Demonstrations = Annotated[
    int, typer.Option("-k", help="How many demonstrations GuardAgent retrieves.", min=0)
]
Functions = Annotated[
    list[str] | None,
    typer.Option(metavar="MODULE:NAME", help="Add a function to GuardAgent's toolbox. May be repeated."),
]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Keep results, model calls, report and plot here; a stopped evaluation goes on from it.",
    ),
]
Parallel = Annotated[int, typer.Option(help="How many decisions are made at once.", min=1, max=64)]
ExampleKind = Annotated[
    str, typer.Option(help="Take only examples whose kind begins with this, such as one suite's.")
]
Limit = Annotated[int, typer.Option(help="Take only the first examples; 0 takes all.", min=0)]
Readings = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What a model read in the texts of the data, by the texts' hashes, in place of asking one.",
    ),
]
RecordedModelCalls = Annotated[
    bool,
    typer.Option("--replay-calls", help="Ask no model; the session's calls and those kept in --out answer."),
]


def compare_guards(
    session: SessionPath,
    data: Data,
    guard: Guards = None,
    ablate: Ablations = None,
    demonstrations: Demonstrations = 3,
    function: Functions = None,
    out: Out = None,
    parallel: Parallel = 4,
    kind: ExampleKind = "",
    limit: Limit = 0,
    database: Database = None,
    readings: Readings = None,
    replay_calls: RecordedModelCalls = False,
) -> int:
    """Compare guards on labelled recordings, with controls.

    Shares are in percent with 95 % Wilson intervals. Figures of papers are
    marked as published: they come from live runs, ours from recordings.
    Exits with 1 if a call could not be asked about.
    """
    request = ComparedRequest(
        guards=tuple(guard or ("policy",)),
        ablations=tuple(ablate or ()),
        k=demonstrations,
        functions=tuple(function or ()),
        folder=out,
        parallel=parallel,
        kind=kind,
        limit=limit,
        replay_only=replay_calls,
        database=database,
        readings=readings,
    )
    failed = 0
    with reading(session) as bench:
        comparison = GuardComparison(bench, request)
        for name in data:
            evaluation, problems = comparison.run(name, _bar())
            failed += sum(row.failed for row in evaluation.rows)
            for problem in problems:
                note(f"{problem.path}:{problem.line}: {problem.reason}")
            for line in tables(evaluation).splitlines():
                write(line)
            write()
    return 1 if failed else 0


def _bar() -> Callable[[int, int], None]:
    """A function that draws a progress bar on standard error if a person watches."""
    if not sys.stderr.isatty():
        return lambda _done, _total: None

    def show(done: int, total: int) -> None:
        filled = _BAR * done // max(total, 1)
        end = "\n" if done == total else ""
        sys.stderr.write(f"\r[{'#' * filled}{'.' * (_BAR - filled)}] {done}/{total}{end}")
        sys.stderr.flush()

    return show


def main(words: Sequence[str] | None = None) -> int:
    """Run the comparison and return its exit code; an error is one sentence on standard error."""
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command()(compare_guards)
    prepare_streams()
    try:
        code = app(args=list(sys.argv[1:] if words is None else words), standalone_mode=False)
    except (WorkbenchError, TyperException) as error:
        note(str(error) or "The arguments are wrong; see --help.")
        return error.exit_code
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    sys.exit(main())
