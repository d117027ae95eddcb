"""Messages and headers that try to get a call past an MCP guard, by class; each is refused."""

from __future__ import annotations


def call(tool: str = "delete", call_id: str = "7", arguments: str = "{}") -> str:
    """The text of a call of a tool."""
    return (
        f'{{"jsonrpc":"2.0","id":{call_id},"method":"tools/call",'
        f'"params":{{"name":"{tool}","arguments":{arguments}}}}}'
    )


_PING = '"jsonrpc":"2.0","id":7,"method":"ping"'
_PARAMS = '"params":{"name":"delete","arguments":{}}'
_READ = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{'

OTHER_SPELLINGS = [
    f'{{{_PING},"Method":"tools/call",{_PARAMS}}}',
    f'{{{_PING},"METHOD":"tools/call",{_PARAMS}}}',
    f'{{{_PING},"method\\u0000":"tools/call",{_PARAMS}}}',
    f'{{{_PING},"method\\u0000x":"tools/call",{_PARAMS}}}',
    f'{{{_PING},"\\uff4dethod":"tools/call",{_PARAMS}}}',
    f'{{{_PING},"me\\u200bthod":"tools/call",{_PARAMS}}}',
    f'{{{_PING},"m\\u0435thod":"tools/call",{_PARAMS}}}',
    f'{{{_PING},"method ":"tools/call",{_PARAMS}}}',
    f'{{{_PING},"_method":"tools/call",{_PARAMS}}}',
    f'{{{_PING},"\\ufeffmethod":"tools/call",{_PARAMS}}}',
    f'{{{_PING},"PARAMS":{{"name":"delete"}}}}',
    f'{{{_PING},"Id":8}}',
    f'{{{_PING},"JsonRpc":"1.0"}}',
    f'{_READ}"name":"read","Name":"delete","arguments":{{}}}}}}',
    f'{_READ}"name":"read","name\\u0000":"delete","arguments":{{}}}}}}',
    f'{_READ}"name":"read","arguments":{{}},"Arguments":{{"path":"/etc"}}}}}}',
    f'{_READ}"name":"read","arguments":{{}},"\\u0430rguments":{{"path":"/etc"}}}}}}',
    f'{_READ}"name":"read","arguments":{{}},"_Meta":{{}}}}}}',
    f'{_READ}"name":"read","arguments":{{}},"_meta":{{"ProgressToken":1}}}}}}',
    f'{_READ}"name":"read","arguments":{{}},"na\\u0131me":"x","n\\u0430me":"delete"}}}}',
]
ARGUMENTS = [
    '{"path":"a","Path":"/etc"}',
    '{"Path":"/etc"}',
    '{"PATH":"/etc"}',
    '{"path\\u0000":"/etc"}',
    '{"p\\u0430th":"/etc"}',
    '{"\\uff50ath":"/etc"}',
    '{"pa\\u200dth":"/etc"}',
    '{"path ":"/etc"}',
    '{"pa_th":"/etc"}',
    '{"path":"a","more":1}',
    '{"path":"a","deep":{"x":1,"X":2}}',
    '{"path":"a","deep":{"list":[{"Path":"/etc"}]}}',
]
TWICE = [
    f'{{{_PING},"method":"tools/call",{_PARAMS}}}',
    f'{{{_PING},"id":8}}',
    f'{{{_PING},"params":{{}},"params":{{"name":"delete"}}}}',
    '{"jsonrpc":"2.0","jsonrpc":"2.0","id":7,"method":"ping"}',
    f'{_READ}"name":"delete","name":"read"}}}}',
    f'{_READ}"name":"read","name":"delete"}}}}',
    f'{_READ}"name":"read","arguments":{{}},"arguments":{{"path":"/etc"}}}}}}',
    call("read", arguments='{"path":"a","path":"/etc"}'),
    call("read", arguments='{"path":"a","p\\u0061th":"/etc"}'),
    call("read", arguments='{"deep":{"a":1,"a":2}}'),
    call("read", arguments='{"deep":[{"a":1,"a":1}]}'),
]
NO_JSON = [
    "",
    "{",
    "null",
    "3",
    '"tools/call"',
    call("read", arguments='{"count":NaN}'),
    call("read", arguments='{"count":Infinity}'),
    call("read", arguments='{"count":-Infinity}'),
    call("read", arguments='{"count":1e999}'),
    call("read", arguments='{"count":-1e400}'),
    call("read", arguments='{"count":9007199254740993}'),
    call("read", arguments='{"count":' + "9" * 5000 + "}"),
    call("read", arguments='{"path":"\\ud800"}'),
    call("read", arguments='{"\\udfff":"a"}'),
    call("read", arguments="{'path':'a'}"),
    call("read", arguments='{"path":"a",}'),
    call("read") + call("delete"),
    call("read") + " // comment",
    call("read", arguments='{"deep":' + "[" * 200 + "]" * 200 + "}"),
    "[" * 100_000,
    '{"a":' * 5000 + "1" + "}" * 5000,
    call("read", call_id="07"),
]
BYTES = [
    b"\xef\xbb\xbf" + call("read").encode(),
    call("read").encode("utf-16"),
    call("read").encode("utf-16-le"),
    call("read").encode("utf-32"),
    call("read", arguments='{"path":"X"}').encode().replace(b"X", b"\xff"),
    call("read", arguments='{"path":"X"}').encode().replace(b"X", b"\xc0\xaf"),
    call("read", arguments='{"path":"X"}').encode().replace(b"X", b"\xed\xa0\x80"),
    call("read", arguments='{"path":"X"}').encode().replace(b"X", b"\xf4\x90\x80\x80"),
    call("read", arguments='{"path":"X"}').encode().replace(b"X", b"\x00"),
    call("read", arguments='{"path":"X"}').encode().replace(b"X", b"\x1b"),
    b"\x00" + call("read").encode(),
    call("read").encode() + b"\x00",
]
METHODS = [
    "resources/read",
    "resources/list",
    "resources/templates/list",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/get",
    "prompts/list",
    "completion/complete",
    "sampling/createMessage",
    "elicitation/create",
    "roots/list",
    "tasks/get",
    "tasks/result",
    "tasks/list",
    "tasks/cancel",
    "subscriptions/listen",
    "tools/Call",
    "TOOLS/CALL",
    "tools/call ",
    "tools/call\\u0000",
    "tools\\u2044call",
    "tools//call",
    "",
    "notifications/initialized",
    "x/anything",
]
NOTIFIED = [
    "tools/call",
    "tools/list",
    "ping",
    "initialize",
    "resources/read",
    "sampling/createMessage",
    "notifications/roots/list_changed",
    "notifications/elicitation/complete",
    "notifications/tasks/status",
    "notifications/message",
    "notifications/progress",
    "notifications/INITIALIZED",
]
IDS = [
    "null",
    "true",
    "false",
    "1.0",
    "1e0",
    "[]",
    "{}",
    "[7]",
    '"' + "x" * 300 + '"',
    "9007199254740993",
    "-1e999",
]
BATCHES = [
    "[]",
    "[1]",
    f"[{call('read')}]",
    f"[{call('delete')}]",
    f"[{call('read')},{call('delete', '8')}]",
    f'[{{"jsonrpc":"2.0","id":1,"method":"ping"}},{call("delete")}]',
    f"[[{call('delete')}]]",
    f"[null,{call('delete')}]",
    f"[{call('read')},{call('read')}]",
    '[{"jsonrpc":"2.0","method":"notifications/initialized"}]',
]
ENVELOPES = [
    '{"id":7,"method":"ping"}',
    '{"jsonrpc":"1.0","id":7,"method":"ping"}',
    '{"jsonrpc":2.0,"id":7,"method":"ping"}',
    '{"jsonrpc":"2.0","id":7}',
    '{"jsonrpc":"2.0","id":7,"method":["tools/call"]}',
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}',
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":"x"}',
    '{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}',
    f'{{"jsonrpc":"2.0","id":7,"method":"tools/call",{_PARAMS},"error":{{"code":1,"message":"x"}}}}',
    '{"jsonrpc":"2.0","id":7,"result":{}}',
    '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call"}',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":3}}',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":"x"}}',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":[]}}',
    f'{_READ}"name":"read","arguments":{{}},"task":{{"ttl":1}}}}}}',
    f'{_READ}"name":"read","arguments":{{}},"inputResponses":{{}}}}}}',
]
TOOL_NAMES = [
    "Read", "READ", "read\\u0000", "read ", " read", "re\\u0430d", "r\\u0435ad", "\\uff52ead", "re-ad",
    "read\\u200b", "read\\n", "delete", "unlisted", "", "re\\u00adad",
]  # fmt: skip


def sent_by_clients() -> list[bytes]:
    """Every attack of a client as the bytes that it sends, without an end of line."""
    texts = [
        *OTHER_SPELLINGS,
        *(call("read", arguments=arguments) for arguments in ARGUMENTS),
        *TWICE,
        *NO_JSON,
        *(
            f'{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{"uri":"file:///etc/passwd"}}}}'
            for method in METHODS
        ),
        *(f'{{"jsonrpc":"2.0","method":"{method}","params":{{"name":"delete"}}}}' for method in NOTIFIED),
        *(call("read", call_id=call_id) for call_id in IDS),
        *BATCHES,
        *ENVELOPES,
        *(call(name) for name in TOOL_NAMES),
    ]  # fmt: skip
    return [*(text.encode() for text in texts), *BYTES]


HEADERS: list[tuple[str, bytes]] = [
    ("a header twice", b"Mcp-Session-Id: s1\r\nMcp-Session-Id: s2"),
    ("in two cases", b"Mcp-Method: tools/call\r\nmcp-method: ping"),
    ("name twice", b"Mcp-Name: read\r\nMcp-Name: delete"),
    ("authorization twice", b"Authorization: a\r\nAuthorization: b"),
    ("two types", b"Content-Type: application/json\r\nContent-Type: text/plain"),
    ("two lengths", b"Content-Length: 4"),
    ("an unknown one twice", b"X-Run: a\r\nX-Run: b"),
    ("underscored", b"Mcp_Session_Id: s1"),
    ("underscored length", b"Content_Length: 4"),
    ("folded", b"X-Run: a\r\n Mcp-Method: ping"),
    ("space before the colon", b"Mcp-Method : ping"),
    ("no colon", b"Mcp-Method"),
    ("a nul", b"X-Run: a\x00b"),
    ("latin", b"X-Run: \xe9"),
    ("chunked", b"Transfer-Encoding: chunked"),
    ("chunked in another way", b"Transfer-Encoding: xchunked"),
    ("compressed", b"Content-Encoding: gzip"),
    ("a form", b"Content-Type: text/plain"),
    ("utf-16", b"Content-Type: application/json; charset=utf-16"),
    ("another method", b"Mcp-Method: ping"),
    ("another tool", b"Mcp-Method: tools/call\r\nMcp-Name: delete"),
    ("an unknown session", b"Mcp-Session-Id: never-opened"),
    ("no session", b"Mcp-Session-Id: "),
    ("no version", b"Mcp-Protocol-Version: newest"),
    ("origin", b"Origin: https://evil.example"),
    ("null origin", b"Origin: null"),
    ("origin of another port", b"Origin: http://127.0.0.1:1"),
    ("origin without a port", b"Origin: http://localhost"),
    ("origin as https", b"Origin: https://localhost:PORT"),
    ("two origins", b"Origin: http://localhost:PORT http://evil.example"),
    ("origin with a user", b"Origin: http://localhost:PORT@evil.example"),
]
HOSTS = [
    b"evil.example", b"evil.example:PORT", b"127.0.0.1", b"127.0.0.1:1", b"localhost", b"localhost:1",
    b"", b"127.0.0.1:PORT.evil.example", b"127.0.0.2:PORT", b"evil@127.0.0.1:PORT",
    b"127.0.0.1:PORT, evil.example",
]  # fmt: skip
