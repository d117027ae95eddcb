"""The desk of a small invented library: one tool has a limit, one finds the records of the other tools."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.clarify.parcel_desk import Call, log_text
from workbench.app.workbench import Workbench
from workbench.model import Json
from workbench.session import Session
from workbench.session.agent_file import read_agent

SPEC = read_agent("""
name = "library"
[tools.find_book]
description = "Search the catalogue."
parameters = {type = "object", properties = {query = {type = "string"}}, required = ["query"]}
[tools.lend_book]
description = "Lend a book to the member at the desk."
parameters.type = "object"
parameters.required = ["book_id", "days"]
parameters.properties.book_id = {type = "string"}
parameters.properties.days = {type = "integer", description = "for how many days the book is lent"}
[tools.waive_fee]
description = "Waive a fee of the member at the desk."
parameters = {type = "object", properties = {amount = {type = "number"}}, required = ["amount"]}
[records.book]
key = "book_id"
fields.title = {type = "str"}
fields.adults_only = {type = "bool"}
results.find_book = "$"
[arguments.tool]
type = "enum"
values = ["find_book", "lend_book", "waive_fee"]
description = "the tool that is called"
extract = {method = "jsonpath", path = "$.tool"}
[arguments.book_id]
type = "str"
optional = true
extract = {method = "jsonpath", path = "$.arguments.book_id"}
[arguments.days]
type = "int"
optional = true
description = "for how many days the book is lent"
extract = {method = "jsonpath", path = "$.arguments.days"}
[arguments.amount]
type = "decimal"
optional = true
description = "in EUR"
extract = {method = "jsonpath", path = "$.arguments.amount"}
[arguments.staff_role]
type = "enum"
values = ["assistant", "librarian"]
extract = {method = "jsonpath", path = "$.context.staff_role"}
[arguments.head_approved]
type = "bool"
extract = {method = "jsonpath", path = "$.context.head_approved"}
[arguments.book]
type = "record"
description = "the book that the call is about"
extract = {method = "record", record = "book", key = "$.arguments.book_id"}
""")
CHILDREN = "Children cannot borrow books for adults."
FOUND: tuple[Call, ...] = (
    ("find_book", {"query": "Dune"}, {"book_id": "B1", "title": "Dune", "adults_only": True}),
    ("find_book", {"query": "Emma"}, {"book_id": "B2", "title": "Emma", "adults_only": False}),
    ("lend_book", {"book_id": "B1", "days": 14}, {"ok": True}),
    ("lend_book", {"book_id": "B2", "days": 14}, {"ok": True}),
)
CONTEXT: Mapping[str, Json] = {"staff_role": "assistant", "head_approved": False}


def opened_desk(folder: Path, *sentences: str) -> Workbench:
    """A session with a request of these sentences and one recorded run."""
    session = Session.create(folder, "# The desk\n\n" + "\n".join(sentences) + "\n", SPEC)
    (folder / "logs" / "run.jsonl").write_text(log_text(FOUND, CONTEXT), encoding="utf-8")
    bench = Workbench(session)
    bench.request.redraft()
    return bench
