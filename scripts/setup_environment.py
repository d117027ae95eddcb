"""Make or refresh ``.venv`` with exactly the packages of ``requirements.lock``.

Run by ``scripts/setup`` with the Python it found; needs only the standard library. A stamp in ``.venv`` holds
digests of all inputs of the environment, so that a run without changes ends at once. A changed lock or Python
makes the environment anew, so that it is exact. A lock file prevents two runs at a time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = ENVIRONMENT / "setup-stamp"
LOG = ENVIRONMENT / "setup.log"
LOCK = ROOT / "requirements.lock"
ENVIRONMENT_BROKEN = 3
INTERRUPTED = 130


class SetupError(Exception):
    """Set-up cannot continue; the text is one clear sentence."""


def say(message: str) -> None:
    """Print a message on standard error; standard output belongs to the command that set-up runs for."""
    sys.stderr.write(message + "\n")
    sys.stderr.flush()


def base_python() -> Path:
    """The interpreter behind the running one, which may be the environment's own."""
    running = Path(sys.executable)
    if sys.prefix == sys.base_prefix:
        return running
    base: str | None = getattr(sys, "_base_executable", None)
    return Path(base) if base and Path(base) != running else running.resolve()


def fingerprints() -> tuple[str, str]:
    """Digests of the inputs of the packages (lock, place, Python) and of the project's own installation."""
    packages = hashlib.sha256(f"{ROOT}\0{sys.version}\0{sys.implementation.cache_tag}\0".encode())
    for path in (LOCK, Path(__file__).resolve()):
        packages.update(path.read_bytes())
    return packages.hexdigest(), hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()


def completed() -> tuple[str, str]:
    """The digests from which the environment was last completed; empty ones if there is no stamp."""
    try:
        packages, project = STAMP.read_text().split()
    except (OSError, ValueError):
        return "", ""
    return (packages, project) if PYTHON.exists() else ("", "")


@contextlib.contextmanager
def alone() -> Generator[None]:
    """Hold the project's set-up lock; the system releases it even if this process is killed."""
    try:
        import fcntl
    except ImportError:  # Windows: make does not run two of them by itself
        yield
        return
    with (ROOT / ".venv.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("Waiting for another set-up of this folder to end.")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def run(command: list[str]) -> str | None:
    """Run a command with its output in the log; None if it succeeded, else the line with the reason."""
    ENVIRONMENT.mkdir(exist_ok=True)
    try:
        completed_process = subprocess.run(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        return str(error)
    with LOG.open("a") as log:
        log.write(f"$ {' '.join(command)}\n{completed_process.stdout}\n")
    if completed_process.returncode == 0:
        return None
    lines = [line.strip() for line in completed_process.stdout.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    return (errors or lines or [f"exit code {completed_process.returncode}"])[-1]


def create(base: Path) -> None:
    """Make an empty environment; with uv where this Python lacks ensurepip.

    Raises:
        SetupError: neither way worked.
    """
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    problem = run([str(base), "-I", "-m", "venv", "--clear", str(ENVIRONMENT)])
    if problem is None:
        return
    uv = shutil.which("uv")
    if uv is not None:
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        problem = run([uv, "venv", "--quiet", "--seed", "--clear", "--python", str(base), str(ENVIRONMENT)])
    if problem is not None:
        raise SetupError(
            f"{base} could not make the environment .venv ({problem}); set PYTHON to another Python."
        )


def installers() -> list[list[str]]:
    """The commands that can install into the environment, quickest first."""
    pip = [str(PYTHON), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
    uv = shutil.which("uv")
    return [[uv, "pip", "install", "--quiet", "--python", str(PYTHON)], pip] if uv else [pip]


def install(*packages: str) -> None:
    """Install into the environment with the first installer that succeeds.

    Raises:
        SetupError: no installer succeeded.
    """
    problem: str | None = None
    for installer in installers():
        problem = run([*installer, *packages])
        if problem is None:
            return
    raise SetupError(f"the packages of requirements.lock could not be installed ({problem}); see {LOG}.")


def set_up() -> None:
    """Bring the environment up to date; do nothing if nothing changed.

    Raises:
        SetupError: with one clear sentence.
    """
    if not LOCK.exists():
        raise SetupError("requirements.lock is missing; take it from the repository again.")
    current_fingerprints = fingerprints()
    if completed() == current_fingerprints:
        return
    with alone():
        packages, project = completed()
        if (packages, project) == current_fingerprints:
            return
        if packages != current_fingerprints[0]:
            version = ".".join(str(part) for part in sys.version_info[:3])
            say(f"Setting up .venv with Python {version} (once; a minute or two, mostly downloads).")
            create(base_python())
            install("--require-hashes", "-r", str(LOCK))
        install("--no-build-isolation", "--no-deps", "-e", str(ROOT))
        STAMP.write_text("\n".join(current_fingerprints) + "\n")
        say("Set-up is complete.")


def main() -> int:
    """Set up and return the exit code: 0, 3 if it cannot, 130 if interrupted."""
    try:
        set_up()
    except SetupError as error:
        say(f"Set-up stopped: {error}")
        return ENVIRONMENT_BROKEN
    except OSError as error:
        say(f"Set-up stopped: {error.strerror or error} ({error.filename or ROOT}).")
        return ENVIRONMENT_BROKEN
    except KeyboardInterrupt:
        say("Set-up was interrupted; the same command goes on with it.")
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
