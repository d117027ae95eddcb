"""URLs: the host that every reader goes to, or none."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from yarl import URL as Other

from tests.examples import examples
from tests.runs.kinds.reading_kinds import part_of, parts_of

HOSTS = st.from_regex(r"[a-z]{1,8}(\.[a-z][a-z0-9]{0,8}){0,3}", fullmatch=True)
SEGMENTS = st.lists(st.from_regex(r"[A-Za-z0-9_~@:-]{1,8}", fullmatch=True), max_size=4)


def test_the_parts_of_a_url() -> None:
    assert parts_of("url", "https://user:pw@API.Example.com:8443/v1/a/../b%20c?x=1#top") == {
        "text": "https://user:pw@API.Example.com:8443/v1/a/../b%20c?x=1#top",
        "scheme": "https",
        "host": "api.example.com",
        "port": 8443,
        "domains": frozenset({"api.example.com", "example.com", "com"}),
        "is_address": False,
        "has_userinfo": True,
        "path": "/v1/b c",
        "inside": frozenset({"/", "/v1", "/v1/b c"}),
        "query": "x=1",
    }


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("https://example.com.evil.io/", "example.com.evil.io", 443),
        ("https://example.com@evil.io/", "evil.io", 443),
        ("HTTP://EXAMPLE.COM.", "example.com", 80),
        ("https://\u0430pple.com/", "xn--pple-43d.com", 443),
        ("https://examp1e.com/", "examp1e.com", 443),
        ("https://EXAMPLE\u3002com", "example.com", 443),
        ("https://bücher.de", "xn--bcher-kva.de", 443),
        ("http://127.0.0.1:8080", "127.0.0.1", 8080),
        ("http://[::ffff:127.0.0.1]/", "127.0.0.1", 80),
        ("http://[0:0::1]/", "::1", 80),
        ("https://x.com:", "x.com", 443),
        ("git+ssh://git@github.com/a", "github.com", None),
        ("mailto:a@b.c", "", None),
        ("file:///etc/passwd", "", None),
    ],
)
def test_where_a_url_leads(text: str, host: str, port: int | None) -> None:
    assert (part_of("url", text, "host"), part_of("url", text, "port")) == (host, port)
    assert part_of("url", text, "is_address") == (host in ("127.0.0.1", "::1"))


@pytest.mark.parametrize(
    "text",
    [
        "", "example.com", "//example.com/", "/x", "https:example.com", "https:/example.com",
        "https:///example.com", "https://", "https://good.com\\@evil.com/", "https:\\\\evil.com",
        "https://a@b@c/", "https://good.com#@evil.com", "https://good.com?@evil.com", " https://x.com",
        "https://x.com\n", "https://x\t.com", "https://x .com", "https://x.com/\x00", "https://%65vil.com/",
        "https://0x7f.1/", "http://2130706433/", "http://0177.0.0.1/", "http://127.1/",
        "https://x.com:99999/", "https://x.com:８０/", "http://[fe80::1%25eth0]/", "https://xn--a/",
        "https://\U0001f4a9.la/", "https://x..com/", "https://x.com/%2e%2e/a", "https://x.com/%252e%252e/a",
        "https://x.com/a%2Fb", "https://x.com/a%00", "https://x.com/%zz",
        "https://x.com/a/..;/b", "https://x.com/a;v=1/b", "https://x.com/a%3bv/b", "https://faß.de/",
        "view-source:https://x.com/", "blob:https://x.com/1", "jar:jar:file:///a!/b", "feed:http:x.com", "https://x.com//a",
        "https://x.com/%ff", "https://-x.com/", "https://ev\u200bil.com/", "https://evil<U+200B>.com/", 5,
        None,
    ],
)  # fmt: skip
def test_what_is_read_in_several_ways_is_not_determinable(text: str) -> None:
    assert isinstance(parts_of("url", text), str)


def test_an_encoding_of_a_path_is_read_once() -> None:
    assert part_of("url", "https://x.com/%61dmin/", "path") == "/admin/"
    assert part_of("url", "https://x.com/a%3Fb?c", "path") == "/a?b"
    assert part_of("url", "file:///a/../etc", "path") == "/etc"


@settings(max_examples=examples(150), deadline=None)
@given(
    scheme=st.sampled_from(["http", "https", "ws", "wss", "ftp", "s3"]),
    user=st.sampled_from(["", "me@", "me:pw@"]),
    host=HOSTS,
    port=st.none() | st.integers(1, 65535),
    segments=SEGMENTS,
    query=st.sampled_from(["", "?", "?a=b", "?u=https://evil.io/@x"]),
)
def test_what_is_written_from_parts_is_read_as_these_parts(
    scheme: str, user: str, host: str, port: int | None, segments: list[str], query: str
) -> None:
    path = "/" + "/".join(segments)
    given_port = "" if port is None else f":{port}"
    parts = parts_of("url", f"{scheme}://{user}{host}{given_port}{path}{query}")
    assert not isinstance(parts, str)
    default = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}.get(scheme)
    wanted = (scheme, host, port or default, bool(user), path, query[1:])
    assert (
        tuple(parts[name] for name in ("scheme", "host", "port", "has_userinfo", "path", "query")) == wanted
    )


SIGNS = "/\\@:#?[]%.&\t\n ＠／．。"
ODD = st.sampled_from([*SIGNS, "evil.io", "good.com", "https", "http", "127.0.0.1", "%40", "xn--", "а"])


@settings(max_examples=examples(400), deadline=None)
@given(lead=st.sampled_from(["https://", "http:", ""]), rest=st.lists(ODD))
@example("https:", ["//good.com\\@evil.io"])
@example("https:", ["//good.com%40evil.io/"])
def test_hostile_text_never_leads_elsewhere_for_another_library(lead: str, rest: list[str]) -> None:
    """A determinable URL leads to the same host by yarl and by the standard library."""
    text = lead + "".join(rest)
    parts = parts_of("url", text)
    if isinstance(parts, str) or not parts["host"]:
        return
    for read in (Other(text).host, urlsplit(text).hostname):
        assert read is not None
        try:
            name = str(ipaddress.ip_address(read))
        except ValueError:
            name = read.encode("idna").decode().lower().removesuffix(".")
        assert name == parts["host"]
