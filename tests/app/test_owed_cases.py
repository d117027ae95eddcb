"""Cases that another program removes: the session owes them, and a person puts them back or removes them."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.refund_desk import refund_desk
from tests.app.test_in_force import missing
from workbench.app.owed import OwedKind
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.model import Verdict, WorkbenchError
from workbench.session import Session

CASES = "cases.toml"


@pytest.fixture(scope="module")
def made_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The support desk with the cases of its rules and one that a person kept, made once."""
    path = refund_desk(tmp_path_factory.mktemp("kept") / "refunds")
    with closing(Workbench.open(path)) as bench:
        arguments = next(case.arguments for case in bench.session.cases if case.expected is Verdict.DENY)
        bench.cases.keep(bench.policy.terms(), arguments, Verdict.DENY, reason="A fourth one")
    return path


@pytest.fixture
def folder(made_desk: Path, tmp_path: Path) -> Path:
    """A copy of the support desk."""
    return Path(shutil.copytree(made_desk, tmp_path / "refunds"))


def owed_cases(bench: Workbench) -> dict[str, str]:
    """The cases that are owed, by id, each with the act that mends it."""
    return {item.name: item.mend for item in missing(bench) if item.kind is OwedKind.CASE}


def test_cases_that_another_program_removed_are_owed_until_they_are_back(folder: Path) -> None:
    file = folder / CASES
    before = file.read_text()
    with closing(Workbench(Session.open(folder))) as bench:
        assert not owed_cases(bench)
        names = {case.id for case in bench.session.cases}
        kept = next(case.id for case in bench.session.cases if case.origin == "human")
    file.write_text("")
    with closing(Workbench(Session.open(folder))) as bench:
        assert set(owed_cases(bench)) == names
        assert f"--remove {kept}" in owed_cases(bench)[kept]
    assert main(["ask", str(folder)]) == 1
    file.write_text(before)
    with closing(Workbench(Session.open(folder))) as bench:
        assert not owed_cases(bench)


def test_the_undo_of_the_removal_brings_the_cases_back(folder: Path) -> None:
    (folder / CASES).unlink()
    with closing(Workbench(Session.open(folder))) as bench:
        assert owed_cases(bench)
        bench.editing.undo()
        assert not owed_cases(bench)


def test_a_draft_makes_its_own_cases_again_and_a_person_removes_the_kept_ones(folder: Path) -> None:
    (folder / CASES).write_text("")
    with closing(Workbench(Session.open(folder))) as bench:
        bench.cases.generate()
        (kept,) = owed_cases(bench)
        assert any(case.origin == "generated" for case in bench.session.cases)
        bench.cases.remove(kept)
        assert not owed_cases(bench)
        assert kept not in {case.id for case in bench.session.cases}
    with closing(Workbench(Session.open(folder))) as bench:
        assert not owed_cases(bench)


def test_a_case_that_a_person_removed_by_the_workbench_is_not_owed(folder: Path) -> None:
    with closing(Workbench(Session.open(folder))) as bench:
        kept = next(case.id for case in bench.session.cases if case.origin == "human")
        bench.cases.remove(kept)
        assert not owed_cases(bench)


def test_a_case_that_was_only_replaced_by_a_broken_text_is_owed_after_that_text_is_emptied(
    folder: Path,
) -> None:
    (folder / CASES).write_text("[[case")
    with pytest.raises(WorkbenchError, match=CASES):
        Session.open(folder)
    (folder / CASES).write_text("")
    with closing(Workbench(Session.open(folder))) as bench:
        assert owed_cases(bench)
