"""Options, hooks and fixtures of the whole suite."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.bounded import bounded
from tests.decided_cases import decided_cases
from tests.examples import EVERY, examples
from workbench.check.proof.prover import Prover
from workbench.engines.nagini.verdict_cache import VerdictCache

# The suite starts hundreds of Python processes. Without stored bytecode, each compiles the package anew,
# which takes longer than the work of most of them.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A loaded machine is slow at everything: time is no evidence in a property test. The examples are the
# same every time, so that a failure comes from a change; all are drawn anew on demand.
settings.register_profile(
    "untimed",
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not EVERY,
)
settings.load_profile("untimed")


HERE = Path(__file__).parent
SLOW = frozenset((HERE / "slow_tests.txt").read_text(encoding="utf-8").splitlines())
"""Tests, files and folders that ``--fast`` leaves out; ``scripts/slow_tests.py`` writes them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--fast`` for the run at every save."""
    parser.addoption("--fast", action="store_true", help="leave out what slow_tests.txt names")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out a slow file or folder without reading it, if ``--fast`` is given."""
    if not config.getoption("--fast") or not collection_path.is_relative_to(HERE):
        return None
    name = collection_path.relative_to(HERE).as_posix()
    return True if name in SLOW or f"{name}/" in SLOW else None


_prover_folder = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Give all workers one folder of verifiers, and so one verifier.

    A verifier for each worker would cost 1 GB and a start.
    """
    if hasattr(config, "workerinput"):
        return  # a worker has the environment of the process that started it
    folder = tempfile.mkdtemp(prefix="wb-")  # pytest's own folders have names too long for sockets
    config.stash[_prover_folder] = os.environ["WORKBENCH_PROVER_DIR"] = folder


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the verifier that all tests and their commands have shared."""
    folder = config.stash.get(_prover_folder, None)
    if folder is None:
        return
    from workbench.engines.nagini.verifier.shared import shared_pid

    os.environ["WORKBENCH_PROVER_DIR"] = folder
    pid = shared_pid()
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    shutil.rmtree(folder, ignore_errors=True)


WAITING = ("docs", "serve", "tui")
"""Folders whose tests wait more than they compute: for processes, terminals, a screen at rest."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests if ``--fast`` is given; begin with those that take longest, then those that wait.

    Each worker gets a part of the list, in order, and idle workers take tests from the ends of the other
    parts. So one worker waits while the others compute, and the tests left for the end are short. Last are
    those after which a process is slower.
    """
    if config.getoption("--fast"):
        slow = [item for item in items if _name(item) in SLOW]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in set(slow)]
    turns = {path: _is_waiting(path) for path in {item.path for item in items}}
    items.sort(key=lambda item: _turn(item, is_waiting=turns[item.path]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Bound the time and memory of a test that is marked ``bounded``."""
    if item.get_closest_marker("bounded") is None:
        return (yield)
    with bounded():
        return (yield)


def _is_waiting(path: Path) -> bool:
    """Whether a file is in a folder of tests that wait."""
    return path.relative_to(HERE).parts[0] in WAITING


def _turn(item: pytest.Item, *, is_waiting: bool) -> tuple[bool, bool, bool]:
    """The turn of a test: marked ``slow``, one that waits, neither, or ``watched``."""
    marks = {mark.name for mark in item.iter_markers()}
    return "watched" in marks, "slow" not in marks, not is_waiting


def _name(item: pytest.Item) -> str:
    """The name of a test with its file, as in ``slow_tests.txt``."""
    return f"{item.path.relative_to(HERE).as_posix()}::{item.name.partition('[')[0]}"


def pytest_collection_finish() -> None:
    """Search for garbage less often, and only among the objects of the tests.

    Otherwise each search goes through all imported modules, which takes a tenth of the time of many tests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def own_screen_state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep the screen's memory in a folder of the suite."""
    folder = tmp_path_factory.mktemp("state")
    os.environ["WORKBENCH_STATE_DIR"] = str(folder)
    return folder


@pytest.fixture(scope="session", autouse=True)
def own_secret(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the secret that signs stored verdicts in a folder of the suite."""
    os.environ["WORKBENCH_DATA_DIR"] = str(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def prover(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prover]:
    """A prover with the suite's shared verifier and an empty cache of verdicts."""
    shared = Prover(cache=VerdictCache(tmp_path_factory.mktemp("verdicts")), share=True)
    shared.start()
    yield shared
    shared.close()


@pytest.fixture
def cases_decided_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decide cases in this process, where a test is about something else than the process that runs them."""
    monkeypatch.setattr("workbench.check.cases_run.run_cases", decided_cases)
