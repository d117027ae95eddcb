"""Files, rows and processes of a replay on several machines: fsspec, pyarrow and Dask behind typed calls.

To import it without the extra ``scale`` raises WorkbenchError.
"""

# None of the three has types of its own.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportUnknownParameterType=false

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from workbench.model import CallDecision, WorkbenchError
from workbench.runs.replay.record import place_to_json
from workbench.serialization.json_values import json_arguments

_EXTRA = "Install the extra 'scale' (dask, pyarrow, fsspec) to replay a folder."
try:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from fsspec.core import open as open_file
    from fsspec.core import url_to_fs
except ImportError as error:
    raise WorkbenchError(_EXTRA, exit_code=3) from error


def files_below(folder: str) -> list[str]:
    """The files below a folder in the order of their names; hidden ones are left out.

    Raises:
        WorkbenchError: there is no such folder.
    """
    system, path = _system(folder)
    try:
        files = cast(list[str], system.find(path))
    except OSError as error:
        raise WorkbenchError(f"{folder} cannot be listed: {error}.") from error
    if not files and not system.exists(path):
        raise WorkbenchError(f"There is no folder {folder}.")
    visible_files = [file for file in sorted(files) if not file.rsplit("/", 1)[-1].startswith(".")]
    return [cast(str, system.unstrip_protocol(file)) for file in visible_files]


def make_folder(folder: str) -> str:
    """Make the folder of the results, and return its whole address, which any worker understands.

    Raises:
        WorkbenchError: it exists and is not empty, or cannot be made.
    """
    system, path = _system(folder)
    try:
        if system.exists(path) and system.find(path):
            raise WorkbenchError(f"{folder} exists; remove it or name another folder for the results.")
        system.makedirs(path, exist_ok=True)
    except OSError as error:
        raise WorkbenchError(f"{folder} cannot be made: {error}.") from error
    return cast(str, system.unstrip_protocol(path))


@contextmanager
def local_copy(address: str) -> Generator[Path]:
    """The file at an address as a local path; a remote file is copied for the duration of the block."""
    system, path = _system(address)
    if "file" in _protocols(system):
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        local = Path(folder) / Path(path).name
        system.get(path, str(local))
        yield local


def run_all[T, R](
    work: Callable[[T], R],
    tasks: Sequence[T],
    *,
    scheduler: str,
    workers: int,
    on_done: Callable[[R], None],
) -> list[R]:
    """Run the work on every task, on a cluster or in processes on this machine.

    Raises:
        WorkbenchError: the scheduler does not answer, or the extra is not installed.
    """
    try:
        from distributed import Client, LocalCluster, as_completed
    except ImportError as error:
        raise WorkbenchError(_EXTRA, exit_code=3) from error
    count = min(workers or os.cpu_count() or 1, len(tasks))
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder, _safe_path():
        try:
            target: Any = scheduler or LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=cast(str, None),  # no dashboard
                local_directory=folder,
            )
            client = Client(target, timeout=20)
        except (OSError, ValueError, RuntimeError) as error:
            raise WorkbenchError(
                f"The scheduler {scheduler or 'on this machine'} does not answer: {error}.", exit_code=3
            ) from error
        try:
            futures = client.map(work, tasks, pure=False)
            results: list[R] = []
            for future in as_completed(futures):
                result = cast(R, future.result())
                results.append(result)
                on_done(result)
            return results
        finally:
            client.close()
            if not scheduler:
                target.close()


@contextmanager
def _safe_path() -> Generator[None]:
    """Keep started processes from importing from the current folder, as ``python -c`` would."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _system(address: str) -> tuple[Any, str]:
    try:
        return cast(tuple[Any, str], url_to_fs(address))
    except (ValueError, ImportError) as error:
        raise WorkbenchError(f"{address} cannot be opened: {error}.") from error


def _protocols(system: Any) -> tuple[str, ...]:
    protocol = system.protocol
    return (protocol,) if isinstance(protocol, str) else tuple(protocol)


# --- Decisions as rows of Parquet

BATCH = 5_000

SCHEMA = pa.schema(
    [
        ("file", pa.string()),
        ("run", pa.string()),
        ("step", pa.int64()),
        ("call", pa.int64()),
        ("decision", pa.string()),
        (
            "violations",
            pa.list_(
                pa.struct([("rule", pa.string()), ("message", pa.string()), ("items", pa.list_(pa.string()))])
            ),
        ),
        ("reasons", pa.list_(pa.string())),
        ("arguments", pa.string()),
    ]
)


class PartWriter:
    """Writes the decisions on one file in batches. ``arguments`` of a row are JSON text."""

    def __init__(self, part: str, source: str, policy_digest: str) -> None:
        """Open ``part``; ``source`` is the log's path, ``policy_digest`` the policy's SHA-256."""
        self._source = source
        self._file = open_file(part, "wb")
        metadata = {"policy_sha256": policy_digest, "log": source}
        self._stream = self._file.__enter__()
        self._writer = pq.ParquetWriter(self._stream, SCHEMA.with_metadata(metadata), compression="zstd")
        self._rows: list[dict[str, object]] = []

    def write(self, decided: CallDecision) -> None:
        """Add the row of one decision."""
        decision = decided.decision
        self._rows.append(
            {
                "file": self._source,
                **place_to_json(decided),
                "decision": decision.verdict.value,
                "violations": [
                    {"rule": item.rule, "message": item.message, "items": list(item.items)}
                    for item in decision.violations
                ],
                "reasons": list(decision.reasons),
                "arguments": json.dumps(json_arguments(decision.arguments)),
            }
        )
        if len(self._rows) >= BATCH:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=SCHEMA))
            self._rows = []

    def __enter__(self) -> Self:
        """The writer itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, run: TracebackType | None
    ) -> None:
        """Write what is left and close the file."""
        try:
            self._flush()
        finally:
            self._writer.close()
            self._file.__exit__(kind, error, run)
