"""Set-up: the Python it takes, the work it repeats or skips, and its messages on failure."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOLS = "/usr/bin:/bin"


# --- finding a Python -------------------------------------------------------------


def interpreter(path: Path, version: str = "3.13", *, body: str = "") -> Path:
    """A stand-in for a Python: it answers set-up's questions as one of the given version would."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fake = f"import sys; sys.version_info = {tuple(int(part) for part in version.split('.'))!r}"
    path.write_text(
        "#!/bin/sh\n"
        + (body or f'if [ "$2" = -c ]; then exec "{sys.executable}" -I -c "{fake}\n$3"; else echo "$0"; fi\n')
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the script that looks for a Python; each stand-in for one only prints which it is."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "setup", tmp_path / "scripts" / "setup")
    return tmp_path


def find(project: Path, path: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{path}:{TOOLS}", "HOME": str(project / "home"), **variables}
    return subprocess.run(
        ["/bin/sh", "scripts/setup"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def no_system_python(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    """Leave only the tools that the script needs, so that the machine's own Python cannot be found."""
    tools = project / "tools"
    tools.mkdir()
    for name in ("dirname", "sed", "tr"):
        path = shutil.which(name)
        assert path is not None
        (tools / name).symlink_to(path)
    monkeypatch.setattr(sys.modules[__name__], "TOOLS", str(tools))


def test_a_shim_that_does_not_run_is_passed_over(project: Path) -> None:
    interpreter(
        project / "bin/python3.14", body="echo 'pyenv: python3.14: command not found' >&2; exit 127\n"
    )
    good = interpreter(project / "bin/python3.12", "3.12")
    done = find(project, str(project / "bin"))
    assert done.stdout.strip() == str(good)


def test_a_python_that_is_too_old_is_passed_over(project: Path) -> None:
    interpreter(project / "bin/python3", "3.11")
    good = interpreter(project / "bin/python", "3.13")
    assert find(project, str(project / "bin")).stdout.strip() == str(good)


def test_a_python_that_the_lock_does_not_cover_is_passed_over(project: Path) -> None:
    interpreter(project / "bin/python3", "3.15")
    good = interpreter(project / "bin/python", "3.14")
    assert find(project, str(project / "bin")).stdout.strip() == str(good)


def test_the_named_python_comes_first(project: Path) -> None:
    interpreter(project / ".venv/bin/python", "3.13")
    interpreter(project / "bin/python3.13", "3.13")
    named = interpreter(project / "else where/python", "3.12")
    assert find(project, str(project / "bin"), PYTHON=str(named)).stdout.strip() == str(named)


def test_the_named_python_is_never_replaced_by_another(project: Path) -> None:
    interpreter(project / "bin/python3.13", "3.13")
    named = interpreter(project / "old/python", "3.9")
    done = find(project, str(project / "bin"), PYTHON=str(named))
    assert done.returncode == 3
    assert done.stdout == ""
    assert f"PYTHON={named} is not a working Python" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_environment_that_is_there_is_kept(project: Path) -> None:
    interpreter(project / ".venv/bin/python", "3.12")
    interpreter(project / "bin/python3.14", "3.14")
    assert find(project, str(project / "bin")).stdout.strip() == ".venv/bin/python"


def test_a_broken_environment_is_passed_over(project: Path) -> None:
    (project / ".venv/bin").mkdir(parents=True)
    (project / ".venv/bin/python").symlink_to(project / "gone")
    good = interpreter(project / "bin/python3.12", "3.12")
    assert find(project, str(project / "bin")).stdout.strip() == str(good)


@pytest.mark.usefixtures("no_system_python")
def test_pyenvs_versions_are_found_in_the_home_folder(project: Path) -> None:
    interpreter(project / "home/.pyenv/versions/3.11.7/bin/python", "3.11")
    good = interpreter(project / "home/.pyenv/versions/3.12.1/bin/python", "3.12")
    assert find(project, str(project / "empty")).stdout.strip() == str(good)


@pytest.mark.usefixtures("no_system_python")
def test_pyenvs_versions_are_found_where_pyenv_says(project: Path) -> None:
    good = interpreter(project / "py env/versions/3.13.0/bin/python", "3.13")
    interpreter(project / "bin/pyenv", body=f'echo "{project}/py env"\n')
    for variables in ({"PYENV_ROOT": str(project / "py env")}, {}):
        assert find(project, str(project / "bin"), **variables).stdout.strip() == str(good)


@pytest.mark.usefixtures("no_system_python")
def test_pyenvs_versions_are_found_beside_its_shims(project: Path) -> None:
    good = interpreter(project / "other home/.pyenv/versions/3.13.0/bin/python", "3.13")
    shims = project / "other home/.pyenv/shims"
    interpreter(shims / "python3.13", body="echo 'pyenv: python3.13: command not found' >&2; exit 127\n")
    assert find(project, str(shims)).stdout.strip() == str(good)


@pytest.mark.usefixtures("no_system_python")
def test_a_python_that_uv_manages_is_found(project: Path) -> None:
    good = interpreter(project / "uv pythons/python", "3.13")
    answer = f'for last; do :; done; if [ "$last" = 3.13 ]; then echo "{good}"; else exit 2; fi\n'
    interpreter(project / "bin/uv", body=answer)
    assert find(project, str(project / "bin")).stdout.strip() == str(good)


@pytest.mark.usefixtures("no_system_python")
def test_where_there_is_none_one_sentence_says_what_to_do(project: Path) -> None:
    done = find(project, str(project / "empty"))
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith("Set-up stopped: no working Python 3.12, 3.13 or 3.14")
    assert done.stderr.count("\n") == 1


# --- making the environment -------------------------------------------------------


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The set-up module on an invented project, with installing replaced by notes of the requests."""
    spec = importlib.util.spec_from_file_location("setup_environment", ROOT / "scripts/setup_environment.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "requirements.lock").write_text("a==1\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    environment = tmp_path / ".venv"
    for name, value in {
        "ROOT": tmp_path,
        "LOCK": tmp_path / "requirements.lock",
        "ENVIRONMENT": environment,
        "PYTHON": environment / "bin/python",
        "STAMP": environment / "setup-stamp",
        "LOG": environment / "setup.log",
    }.items():
        monkeypatch.setattr(module, name, value)
    return module


@pytest.fixture
def done(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The actions of set-up, in order."""
    notes: list[str] = []

    def create(_base: Path) -> None:
        notes.append("create")
        setup.PYTHON.parent.mkdir(parents=True, exist_ok=True)
        setup.PYTHON.touch()

    def install(*arguments: str) -> None:
        notes.append("packages" if "--require-hashes" in arguments else "project")

    monkeypatch.setattr(setup, "create", create)
    monkeypatch.setattr(setup, "install", install)
    return notes


def found_nowhere(_name: str) -> None:
    """Replaces ``shutil.which`` on a machine without uv."""


ALL = ["create", "packages", "project"]


def test_nothing_is_done_twice(setup: ModuleType, done: list[str]) -> None:
    assert setup.main() == 0
    assert done == ALL
    assert setup.main() == 0
    assert done == ALL


def test_a_changed_lock_makes_the_environment_anew(setup: ModuleType, done: list[str]) -> None:
    setup.main()
    setup.LOCK.write_text("a==2\n")
    setup.main()
    assert done == ALL + ALL


def test_changed_metadata_only_installs_the_project_again(setup: ModuleType, done: list[str]) -> None:
    setup.main()
    (setup.ROOT / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    setup.main()
    assert done == [*ALL, "project"]


def test_another_python_makes_the_environment_anew(
    setup: ModuleType, done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    setup.main()
    monkeypatch.setattr(sys, "version", "3.14.0 (another)")
    setup.main()
    assert done == ALL + ALL


def test_an_environment_that_lost_its_python_is_made_anew(setup: ModuleType, done: list[str]) -> None:
    setup.main()
    setup.PYTHON.unlink()
    setup.main()
    assert done == ALL + ALL


def test_what_was_interrupted_is_not_taken_for_complete(
    setup: ModuleType, done: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole: Callable[..., None] = setup.install

    def interrupted(*_what: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(setup, "install", interrupted)
    assert setup.main() == 130
    assert "goes on" in capsys.readouterr().err
    monkeypatch.setattr(setup, "install", whole)
    assert setup.main() == 0
    assert done == ["create", *ALL]


def test_what_pip_cannot_do_is_one_sentence_and_exit_3(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = setup.ENVIRONMENT / "bin/python"

    def create(_base: Path) -> None:
        interpreter(
            broken, body="echo 'Collecting a'; echo 'ERROR: No matching distribution for a==1'; exit 1\n"
        )

    monkeypatch.setattr(setup, "create", create)
    monkeypatch.setattr(shutil, "which", found_nowhere)
    assert setup.main() == 3
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "ERROR: No matching distribution for a==1" in lines[1]
    assert str(setup.LOG) in lines[1]
    assert "Collecting a" in setup.LOG.read_text()
    assert not setup.STAMP.exists()


def test_a_missing_lock_is_said(setup: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    setup.LOCK.unlink()
    assert setup.main() == 3
    assert "requirements.lock is missing" in capsys.readouterr().err


def test_two_at_a_time_take_turns_and_the_second_finds_it_done(
    setup: ModuleType, done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    create: Callable[[Path], None] = setup.create
    inside, go_on = threading.Event(), threading.Event()

    def slow(base: Path) -> None:
        inside.set()
        assert go_on.wait(30)
        create(base)

    monkeypatch.setattr(setup, "create", slow)
    messages: list[str] = []

    def say(message: str) -> None:
        messages.append(message)
        if message.startswith("Waiting"):
            go_on.set()

    monkeypatch.setattr(setup, "say", say)
    first = threading.Thread(target=setup.main)
    first.start()
    assert inside.wait(30)
    assert setup.main() == 0
    first.join(30)
    assert "Waiting for another set-up of this folder to end." in messages
    assert done == ALL


def test_a_real_environment_is_made_and_locked_packages_are_checked_by_hash(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    setup.create(Path(sys.executable))
    assert setup.PYTHON.exists()
    monkeypatch.setattr(shutil, "which", found_nowhere)
    package: dict[str, Any] = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    for name, value in package.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(setup.SetupError, match="could not be installed"):
        setup.install("--require-hashes", "-r", str(setup.LOCK))


# --- the lock ---------------------------------------------------------------------


def test_every_locked_package_has_one_exact_version_and_a_hash() -> None:
    entries = (ROOT / "requirements.lock").read_text().replace("\\\n", " ").splitlines()
    packages = [entry for entry in entries if entry.strip() and not entry.lstrip().startswith("#")]
    assert packages
    for entry in packages:
        assert "==" in entry.split(";")[0], entry
        assert "--hash=sha256:" in entry, entry


def test_the_lock_names_everything_that_the_project_asks_for() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    locked = {
        line.split("==")[0] for line in (ROOT / "requirements.lock").read_text().splitlines() if "==" in line
    }
    names = {re.split(r"[<>=\[ ]", requirement)[0].lower() for requirement in wanted}
    assert names <= locked


def test_the_scripts_are_plain_shell() -> None:
    for shell in filter(None, map(shutil.which, ("dash", "sh"))):
        subprocess.run([shell, "-n", str(ROOT / "scripts/setup")], check=True)
    assert os.access(ROOT / "scripts/setup", os.X_OK)
    assert os.access(ROOT / ".ci/run", os.X_OK)


# --- the tests that run at every save


def slow_tests() -> Any:
    spec = importlib.util.spec_from_file_location("slow_tests", ROOT / "scripts/slow_tests.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_left_out_at_every_save_is_there() -> None:
    script = slow_tests()
    names = script.LIST.read_text(encoding="utf-8").splitlines()
    assert len(names) == len(set(names)) > 100
    files = {ROOT / "tests" / name.partition("::")[0] for name in names}
    tests = {path: set(script.tests_of(path)) for path in files if path.is_file()}
    for name in names:
        file, _, test = name.partition("::")
        path = ROOT / "tests" / file
        assert path.exists(), f"{name} is no more; correct tests/slow_tests.txt"
        assert not test or test in tests[path], f"{name} is no more; correct tests/slow_tests.txt"


def test_each_file_of_tests_that_contributing_names_takes_part_at_every_save() -> None:
    tasks = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Six tasks")[2]
    named = re.findall(r"\*\* Tests: (.*?)\n1\. ", tasks.partition("\n## ")[0], re.DOTALL)
    files = re.findall(r"`(tests/[\w/.]+)`", " ".join(named))
    assert len(named) == 6
    options = ["--collect-only", "-q", "--fast", "-m", "not nagini and not slow"]
    command = [sys.executable, "-m", "pytest", *options, *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    for file in files:
        assert re.search(rf"^{re.escape(file)}\b.*::", done.stdout, re.MULTILINE), f"{file} is left out"


def test_a_test_is_slow_by_its_mean_or_by_all_its_cases_and_a_whole_file_is_named_once(
    tmp_path: Path,
) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "test_some.py").write_text(
        "def test_quick(): ...\ndef test_slow(): ...\ndef test_new(): ...\n"
    )
    (tmp_path / "part/test_all.py").write_text("def test_many(): ...\n")
    cases = [
        ("test_some", "test_quick[a]", 0.06),
        ("test_some", "test_quick[b]", 0.01),
        ("test_some", "test_slow", 0.3),
    ]
    cases += [("part.test_all", f"test_many[{number}]", 0.03) for number in range(150)]
    report = tmp_path / "report.xml"
    lines = (
        f'<testcase classname="tests.{file}" name="{name}" time="{time}"/>' for file, name, time in cases
    )
    report.write_text(f"<testsuites><testsuite>{''.join(lines)}</testsuite></testsuites>")
    script = slow_tests()
    measured = script.times(report)
    assert script.slow_tests([measured], tmp_path) == ["part/", "test_some.py::test_slow"]
    again = {"test_some.py::test_slow": (0.03, 1)}
    assert script.slow_tests([measured, again], tmp_path) == ["part/"]
