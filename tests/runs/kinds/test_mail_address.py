"""Mail addresses: the one that mail goes to, whatever display name is next to it."""

from __future__ import annotations

from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.kinds.reading_kinds import part_of, parts_of

LOCALS = st.from_regex(r"[a-z0-9_+-]{1,10}(\.[a-z0-9_+-]{1,5}){0,2}", fullmatch=True)
DOMAINS = st.from_regex(r"[a-z]{1,8}(\.[a-z]{2,6}){1,2}", fullmatch=True)


def test_the_parts_of_an_address() -> None:
    assert parts_of("mail_address", "Ann <Ann.B+x@Mail.Example.COM>") == {
        "text": "Ann <Ann.B+x@Mail.Example.COM>",
        "address": "ann.b+x@mail.example.com",
        "local": "ann.b+x",
        "domain": "mail.example.com",
        "domains": frozenset({"mail.example.com", "example.com", "com"}),
    }


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ('"boss@good.com" <e@evil.io>', "e@evil.io"),
        ("<a@b.com>", "a@b.com"),
        ("a@b.com ", "a@b.com"),
        ("a@bücher.de", "a@xn--bcher-kva.de"),
        ("a@\u0430pple.com", "a@xn--pple-43d.com"),
        ("a@corp.test", "a@corp.test"),
    ],
)
def test_only_the_address_counts(text: str, address: str) -> None:
    assert part_of("mail_address", text, "address") == address


@pytest.mark.parametrize(
    "text",
    [
        "", "ann", "@b.com", "a@", "a@b.com, c@d.com", "a@b.com; c@d.com", "a@b.com c@d.com",
        "boss@good.com <e@evil.io>", "a@good.com(<e@evil.io>)", "a(x)@b.com", '"a b"@x.com',
        "a@[127.0.0.1]", "a@b.com\nBcc: e@evil.io", "a@b.com\r\n", "mailto:a@b.com", "a@b@c.com",
        "<a@b.com>, x", "list: a@b.com;", "a@b.com>", "Ann, B <a@b.com>", "a\x00@b.com", "a@ b.com",
        "a@b..com", "a@xn--a.com", "a@faß.de", "a@e<U+200B>vil.io", 3, None, ["a@b.com"],
        "\u0430nna@good.com", "a%evil.io@good.com", "evil.io!a@good.com",
        "=?utf-8?q?e=40evil.io=3E?=@good.com", "=?utf-8?b?YUBi?=a@good.com",
    ],
)  # fmt: skip
def test_what_is_not_plainly_one_address_is_not_determinable(text: str) -> None:
    assert isinstance(parts_of("mail_address", text), str)


@settings(max_examples=examples(100), deadline=None)
@given(
    local=LOCALS,
    domain=DOMAINS,
    name=st.text(st.characters(codec="ascii", categories=["L", "P", "Zs"]), max_size=12),
)
def test_what_is_written_from_parts_is_read_as_these_parts(local: str, domain: str, name: str) -> None:
    text = str(Address(name.strip(), local, domain))
    parts = parts_of("mail_address", text)
    if not isinstance(parts, str):
        assert (parts["local"], parts["domain"], parts["text"]) == (local, domain, text)
    assert part_of("mail_address", f"{local}@{domain}", "address") == f"{local}@{domain}"


ODD = st.sampled_from(
    [*'<>@,;:()"\\ \t\n.', "good.com", "evil.io", "a", "b", "Ann", "＠", "%40", "=?utf-8?q?e=40evil.io?="]
)


@settings(max_examples=examples(400), deadline=None)
@given(text=st.lists(ODD, min_size=3, max_size=9).map("".join))
@example('a@good.com "x" <b@evil.io>')
@example('"a@good.com>" <b@evil.io>')
@example('"<a@good.com>" <b@evil.io>')
def test_hostile_text_never_goes_to_another_address_by_another_reader(text: str) -> None:
    """The header parser of the standard library, by which mail is sent, sees that address and no other."""
    address = part_of("mail_address", text, "address")
    if address is None:
        return
    message = EmailMessage(policy=SMTP)
    message["To"] = text
    assert [recipient.addr_spec.lower() for recipient in message["To"].addresses] == [address]
