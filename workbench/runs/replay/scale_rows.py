"""Decisions as rows of Parquet."""

# pyarrow has no types of its own.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportUnknownParameterType=false

from __future__ import annotations

import json
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.core import open as open_file

from workbench.model import CallDecision
from workbench.runs.replay.record import place_to_json
from workbench.serialization.json_values import json_arguments

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
