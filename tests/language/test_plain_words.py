"""What a person could take for something else is written so that it says one thing, and is read back."""

from __future__ import annotations

import pytest

from workbench.dialect.call_types import agent_types
from workbench.language.language import Language
from workbench.language.trees import canonical
from workbench.session.agent_file import read_agent

AGENT = """
name = "office"

[tools.get_document]
parameters = {type = "object", properties = {document_id = {type = "string"}}, required = ["document_id"]}

[tools.grant_role]
parameters = {type = "object", properties = {member = {type = "string"}}, required = ["member"]}

[tools.send_letter]
parameters.type = "object"
parameters.required = ["address", "recipients", "attachments", "copies", "pages"]
parameters.properties.address = {type = "string"}
parameters.properties.pages = {type = "integer"}
parameters.properties.recipients = {type = "array", items = {type = "string"}}
parameters.properties.attachments.type = "array"
parameters.properties.attachments.items.type = "object"
parameters.properties.attachments.items.required = ["document_id", "encrypted"]
parameters.properties.attachments.items.properties.document_id = {type = "string"}
parameters.properties.attachments.items.properties.encrypted = {type = "boolean"}
parameters.properties.copies.type = "array"
parameters.properties.copies.items.type = "object"
parameters.properties.copies.items.required = ["document_id", "encrypted"]
parameters.properties.copies.items.properties.document_id = {type = "string"}
parameters.properties.copies.items.properties.encrypted = {type = "boolean"}

[records.document]
key = "document_id"
look_up = {tool = "get_document", arguments = {document_id = "key"}}
[records.document.fields]
marking = {type = "enum", values = ["public", "privileged"]}
topics = {type = "set"}
"""
POLICY = '''
from datetime import time, timedelta

from agent import GetDocument, GrantRole, Run, SendLetter

DEFAULT = "deny"


def forbid_letter(call: SendLetter, run: Run) -> bool:
    """R1: No."""
    return {}
'''
DOCUMENT = "run.document(one.document_id)"


@pytest.mark.parametrize(
    ("condition", "written"),
    [
        # "it" is the attachment, though the document stands nearer
        (f"any({DOCUMENT} is None or {DOCUMENT}.marking == 'privileged' and not one.encrypted "
         "for one in call.attachments)",
         "if there is an attachment for which at least one of these holds: (a) the document for the "
         "attachment's "
         "document id does not exist; (b) the marking of the document for the attachment's document id is "
         "privileged and the attachment is not marked encrypted"),
        ("any(one.encrypted for one in call.attachments)",
         "if there is an attachment for which it is marked encrypted"),
        # how far "for every" goes is seen
        ("call.pages > 5 or not all(one == call.address or one.endswith('x') for one in call.recipients)",
         "if at least one of these holds: (a) the pages is more than 5; (b) not for every recipient, the "
         "recipient "
         "is the address or the recipient ends with “x”"),
        ("call.pages > 5 or any(one.encrypted or one.document_id == 'x' for one in call.attachments)",
         "if the pages is more than 5 or there is an attachment for which it is marked encrypted or its "
         "document "
         "id is “x”"),
        ("call.pages > 5 and any(one.encrypted or one.document_id == 'x' for one in call.attachments)",
         "if all of these hold: (a) the pages is more than 5; (b) there is an attachment for which it is "
         "marked "
         "encrypted or its document id is “x”"),
        # what a person approved is the call, not the role
        ("any(one.approved for one in run.earlier(GrantRole))",
         "if there was an earlier call to grant a role with a person's approval"),
        ("any(not one.approved and one.member == call.address for one in run.earlier(GrantRole))",
         "if there was an earlier call to grant a role without a person's approval (where its member is the "
         "address)"),
        ("any(one.succeeded and call.time - one.time < timedelta(hours=1) for one in run.earlier(GrantRole))",
         "if there was an earlier call to grant a role that succeeded (where the earlier call was less than "
         "1 hour "
         "ago)"),
        ("any(one.succeeded for one in run.since(run.earlier(GetDocument)).earlier(GrantRole))",
         "if there was an earlier call, since one earlier call to get a document, to grant a role that "
         "succeeded"),
        ("call.pages > 9 if call.address == 'x' else call.pages > 5",
         "if in case the address is “x”, the pages is more than 9, and otherwise the pages is more than 5"),
        ("time(22, 0) <= call.time.time or 9 < call.pages",
         "if the time of day is not before 22:00 or the pages is more than 9"),
        ("any(one.encrypted and not other.encrypted for one, other in zip(call.attachments, call.copies))",
         "if for some attachment and the copy in the same place, the attachment is marked encrypted and the "
         "copy "
         "is not marked encrypted"),
        ("run.document(call.address) is not None and not run.document(call.address).topics >= {'a', 'b'}",
         "if the document for the address exists and the topics of the document for the address do not "
         "include "
         "each of “a” and “b”"),
    ],
)  # fmt: skip
def test_what_could_be_misread_is_written_in_words_that_say_one_thing(condition: str, written: str) -> None:
    language = Language(agent_types(read_agent(AGENT)), POLICY.format(condition))
    said = next(one for one in language.aloud() if one.name == "forbid_letter")
    assert said.text == f"The agent must not send a letter {written}."
    assert [canonical(tree) for tree in language.read(said.text)] == [canonical(said.tree)]


def test_what_a_denied_fact_takes_is_left_out_as_in_one_that_is_not_denied() -> None:
    fact = (
        'def is_long(pages: int) -> bool:\n    """the letter is long"""\n    return pages > 9\n\n\ndef forbid'
    )
    source = POLICY.replace("def forbid", fact).format("call.pages != 2 and not is_long(call.pages)")
    said = [one for one in Language(agent_types(read_agent(AGENT)), source).aloud() if one.name != "is_long"]
    assert said[-1].text == (
        "The agent must not send a letter if the pages is not 2 and it is not the case that the letter "
        "is long."
    )


def test_an_approval_that_could_be_of_either_call_is_not_taken_for_one() -> None:
    language = Language(agent_types(read_agent(AGENT)), POLICY.format("False"))
    said = "In no run may the agent send a letter after a call to grant a role"
    assert len(language.read(f"{said} without a person's approval.")) == 2
    assert len(language.read(f"{said} without the approval of a person.")) == 1


@pytest.mark.parametrize(
    ("former", "written"),
    [
        ("there was an earlier call to grant a role that a person approved",
         "there was an earlier call to grant a role with a person's approval"),
        ("there was an earlier call since one earlier call to get a document to grant a role",
         "there was an earlier call, since one earlier call to get a document, to grant a role"),
        ("there was an earlier call to grant a role (where the time since its time is at most 2 hours)",
         "there was an earlier call to grant a role (where the earlier call was at most 2 hours ago)"),
        ("if the pages is 1, then the pages is 2, and otherwise the pages is 3",
         "in case the pages is 1, the pages is 2, and otherwise the pages is 3"),
        ("for a copy and the attachment in the same place, the copy is marked encrypted",
         "for some copy and the attachment in the same place, the copy is marked encrypted"),
    ],
)  # fmt: skip
def test_the_other_words_are_read(former: str, written: str) -> None:
    language = Language(agent_types(read_agent(AGENT)), POLICY.format("False"))
    (tree,) = language.read(f"The agent must not send a letter if {former}.")
    assert language.write(tree) == f"The agent must not send a letter if {written}."
