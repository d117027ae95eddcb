"""The kind ``mail_address``: the only address that a text names; a display name is ignored."""

from __future__ import annotations

import unicodedata
from email.utils import getaddresses

from workbench.runs.kinds.host_name import host_in_idna_form, with_parents
from workbench.runs.kinds.value_kind import TEXT, TEXTS, Form, Parts, ValueKind
from workbench.runs.values.found_value import Missing

_DOMAIN = r"[a-z0-9_][a-z0-9_.-]*"


def _read(text: str) -> Parts:
    from email_validator import EmailNotValidError, validate_email

    if not text or any(character in text for character in "\r\n\t"):
        raise Missing("the address is empty or has several lines")
    try:
        validated_email = validate_email(
            text.strip(),
            check_deliverability=False,
            allow_display_name=True,
            globally_deliverable=False,
            test_environment=True,
        )
    except EmailNotValidError as error:
        raise Missing(f"the text is not one mail address: {str(error).rstrip('.')}") from None
    # The standard library's strict reading finds other addresses in comments and in unquoted names.
    addresses = [address for _, address in getaddresses([text])]
    if len(addresses) != 1 or _local(addresses[0]) != _local(
        validated_email.original.rpartition("<")[2].rstrip(">")
    ):
        raise Missing("the text names its address in a way that is read differently")
    domain = host_in_idna_form(_local(addresses[0])[1])
    if domain != host_in_idna_form(validated_email.ascii_domain or validated_email.domain):
        raise Missing("the domain of the address is read in several ways")
    local = validated_email.local_part.lower()
    if any(
        sign in local for sign in "%!"
    ):  # "user%other.example", "other.example!user": RFC 5321, appendix C
        raise Missing("a mail server may send on to another host that the text before the @ names")
    if "=?" in local:  # RFC 2047
        raise Missing("a mail program may decode the text before the @ to another address")
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in local if letter.isalpha()}
    if "LATIN" in scripts and len(scripts) > 1:
        raise Missing("the text before the @ has letters of several scripts, which look alike")
    return {
        "address": f"{local}@{domain}",
        "local": local,
        "domain": domain,
        "domains": with_parents(domain),
    }


def _local(address: str) -> tuple[str, str]:
    local, _, domain = address.strip().rpartition("@")
    return local, domain


MAIL_ADDRESS = ValueKind(
    name="mail_address",
    meaning="a mail address in lower case, its domain in IDNA form; display names are passed over",
    parts=(("address", TEXT), ("local", TEXT), ("domain", TEXT), ("domains", TEXTS)),
    prepare=lambda _options: _read,
    needs="email-validator and idna",
    forms={
        "address": Form(
            rf"[^A-Z\s<>@]+@{_DOMAIN}",
            'an address alone in small letters, its domain in IDNA form, as "ann@xn--bcher-kva.example"',
        ),
        "local": Form(r"[^A-Z\s<>@]+", 'the text before the @ in small letters, as "ann"'),
        **dict.fromkeys(
            ("domain", "domains"),
            Form(_DOMAIN, 'a domain alone in small letters and IDNA form, as "xn--bcher-kva.example"'),
        ),
    },
)
