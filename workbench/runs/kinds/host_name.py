"""Names of hosts in a single form for comparison: lower case, IDNA, addresses written out."""

from __future__ import annotations

import ipaddress
import re

from workbench.runs.values.found_value import Missing

_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_LIKE_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


def host_in_idna_form(host: str) -> str:
    """The name of a host in ASCII and lower case, without a last dot; look-alikes become ``xn--`` names.

    An address of version 6 has no brackets. Raises Missing for a text that is neither a name nor a plain
    address.
    """
    import idna

    try:
        address = ipaddress.ip_address(host)
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        return str(mapped or address)
    except ValueError:
        pass
    try:
        name = (host if host.isascii() else idna.encode(host, uts46=True).decode()).lower()
    except idna.IDNAError as error:
        raise Missing(f"{host!r} is no name of a host: {error}") from None
    if not host.isascii() and _by_older_readers(host) not in (None, name):
        raise Missing(f"{host!r} is the name of two hosts, one by each version of IDNA")
    name = name.removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(map(_LABEL.fullmatch, labels)):
        raise Missing(f"{host!r} is no name of a host")
    if _LIKE_NUMBER.fullmatch(labels[-1]):
        raise Missing(f"{host!r} is an address in a form that is read in several ways")
    for label in labels:
        if label.startswith("xn--"):
            _check_encoded(label)
    return name


def _by_older_readers(host: str) -> str | None:
    """The name by IDNA 2003, as Python's own network modules have it; None if it is not valid there."""
    try:
        return host.encode("idna").decode().lower()
    except UnicodeError:
        return None


def _check_encoded(label: str) -> None:
    import idna

    try:
        again = idna.encode(idna.decode(label)).decode()
    except idna.IDNAError as error:
        raise Missing(f"{label!r} is no name of a host: {error}") from None
    if again != label:
        raise Missing(f"{label!r} is the name of a host in another form than its own")


def is_address(host: str) -> bool:
    """Whether a host is an address rather than a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def with_parents(host: str) -> frozenset[str]:
    """The host and the domains that contain it; an address has no domains."""
    if not host or is_address(host):
        return frozenset([host] if host else [])
    labels = host.split(".")
    return frozenset(".".join(labels[start:]) for start in range(len(labels)))
