"""A library's desk: an agent of invention for suggestions, whose tools no labelled sentence is about."""

from __future__ import annotations

from functools import lru_cache

from workbench.dialect.call_types import agent_types
from workbench.language.language import Language
from workbench.session.agent_file import read_agent

AGENT = """
name = "library"
description = "Lends books to members, renews loans and takes fines."

[tools.get_member]
description = "A member with status and fines."
parameters = {type = "object", properties = {member_id = {type = "string"}}, required = ["member_id"]}

[tools.get_loan]
description = "A loan of a book."
parameters = {type = "object", properties = {loan_id = {type = "string"}}, required = ["loan_id"]}

[tools.lend_book]
description = "Lends a book to a member."
[tools.lend_book.parameters]
type = "object"
required = ["member_id", "book_id", "days"]
[tools.lend_book.parameters.properties]
member_id = {type = "string"}
book_id = {type = "string"}
days = {type = "integer"}
branch = {type = "string", enum = ["centre", "north", "harbour"]}
note = {type = "string"}

[tools.renew_loan]
description = "Renews a loan."
parameters = {type = "object", properties = {loan_id = {type = "string"}}, required = ["loan_id"]}

[tools.collect_fine]
description = "Collects a fine of a member, in EUR."
[tools.collect_fine.parameters]
type = "object"
required = ["member_id", "amount", "items"]
[tools.collect_fine.parameters.properties]
member_id = {type = "string"}
amount = {type = "number"}
[tools.collect_fine.parameters.properties.items]
type = "array"
[tools.collect_fine.parameters.properties.items.items]
type = "object"
required = ["title", "price"]
properties = {title = {type = "string"}, price = {type = "number"}}

[context.role]
type = "enum"
values = ["volunteer", "librarian"]

[records.member]
key = "member_id"
[records.member.fields]
grade = {type = "enum", values = ["junior", "adult"]}
fines = {type = "decimal"}
suspended = {type = "bool"}
[records.member.results]
get_member = "$"

[records.loan]
key = "loan_id"
[records.loan.fields]
due_at = {type = "datetime"}
renewals = {type = "int"}
[records.loan.results]
get_loan = "$"
"""

POLICY = '''"""What the desk may lend."""

from agent import CollectFine, LendBook, RenewLoan, Run

DEFAULT = "allow"


def collected(call: CollectFine, run: Run) -> bool:
    """whether a fine of the member was collected in this run"""
    return any(c.member_id == call.member_id for c in run.earlier(CollectFine))


def forbid_long(call: LendBook) -> bool:
    """R1: Books are lent for 60 days at most."""
    return call.days > 60
'''


@lru_cache
def library(tools: int = 0) -> Language:
    """The language of the desk, with further tools that nothing names."""
    more = "".join(
        f'\n[tools.sort_shelf_{number}]\nparameters = {{type = "object", properties = '
        f'{{shelf = {{type = "string"}}, row_{number} = {{type = "integer"}}}}, required = ["shelf"]}}\n'
        for number in range(tools)
    )
    return Language(agent_types(read_agent(AGENT + more)), POLICY)
