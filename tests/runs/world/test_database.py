"""A folder of records for look-ups: which file has which records."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from tests.runs.world.airline_agent import airline_spec
from workbench.model import RecordValue
from workbench.runs.world.database import FolderDatabase
from workbench.runs.world.record_values import RecordValues


def test_records_of_one_look_up_share_a_file_of_a_database(tmp_path: Path) -> None:
    (tmp_path / "users.json").write_text(
        json.dumps({"ann": {"payment_methods": {"a": {"id": "a", "source": "certificate"}}}})
    )
    user = next(record for record in airline_spec().records if record.name == "user")
    record_fields = tuple(field for field in user.fields if field.name == "certificates")
    wallet = replace(user, name="wallet", fields=record_fields)
    other = replace(wallet, name="pass", look_up=None)
    values = RecordValues((), "")
    database = FolderDatabase(tmp_path, (wallet, other, user))
    fact = database.fact(wallet, "ann", values)
    assert fact is not None
    assert fact.value == RecordValue("Wallet", (("certificates", frozenset({"a"})),))
    assert database.fact(other, "ann", values) is None, "nothing says that the file tells of it"
