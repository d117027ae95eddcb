"""The commands by name. Each imports what it needs only when it is called."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli import (
    assumptions,
    cases,
    checking,
    context,
    demonstrations,
    diff,
    evaluating,
    evidence,
    explanations,
    guardagent,
    guarding,
    live_runs,
    overlapping,
    policy_file,
    proposing,
    questions,
    replaying,
    reporting,
    rules,
    serving,
    sessions,
    word_by_word,
)

app = typer.Typer(
    name="workbench",
    help="Author, clarify, test, prove and replay the policies that guard LLM agents.",
    epilog=(
        "Exit codes: 0 all good; 1 something is refuted, failing or open; 2 wrong usage or input; "
        "3 the environment lacks something; 130 interrupted."
    ),
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from workbench.cli.crash import installed_version
        from workbench.cli.output import write

        write(f"workbench {installed_version()}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Author, clarify, test, prove and replay the policies that guard LLM agents."""
    del version


for command in (
    sessions.open_session,
    sessions.tour,
    serving.serve,
    sessions.new,
    checking.check,
    questions.ask,
    questions.answer,
    assumptions.assumptions,
    questions.request,
    context.context,
    word_by_word.word,
    checking.test,
    cases.cases,
    cases.case,
    checking.verify,
    replaying.replay,
    explanations.explain,
    explanations.denials,
    guardagent.guardagent,
    proposing.propose,
    guarding.strategies,
    live_runs.live,
    guarding.export,
    evidence.strength,
    evidence.evidence,
    reporting.report,
    policy_file.draft,
    rules.rules,
    rules.rule,
    diff.diff,
    overlapping.overlaps,
    policy_file.lower,
    policy_file.undo,
    policy_file.redo,
    evaluating.evaluate,
    sessions.doctor,
):
    app.command(name="open" if command is sessions.open_session else None)(command)

app.add_typer(guarding.guard, name="guard")
app.add_typer(demonstrations.memory, name="memory")
