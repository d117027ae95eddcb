"""No text of a model leaves the subset, and running code stays within its limits."""

from __future__ import annotations

import builtins

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.guardagent.sandbox import execute
from workbench.guardagent.sandbox_worker import LONGEST_OUTPUT, LONGEST_VALUE
from workbench.guardagent.subset import BUILTINS, EXCEPTIONS, METHODS, check_subset
from workbench.guardagent.toolbox import Toolbox, check_access

GIVEN = ("check_access", "check_rule", "risk_level", "agent_input", "agent_output")

ESCAPES = {
    "import": "import os",
    "import from": "from os import system",
    "import by name": "__import__('os').system('id')",
    "exec": "exec('x = 1')",
    "eval": "label = eval('0')",
    "compile": "compile('1', 'a', 'eval')",
    "open": "open('/etc/passwd').read()",
    "getattr": "getattr('', '__class__')",
    "setattr": "setattr(print, 'x', 1)",
    "type": "type('X', (), {})",
    "object": "object()",
    "vars": "vars()",
    "globals": "globals()['label'] = 0",
    "locals": "locals()",
    "dir": "dir()",
    "input": "input()",
    "breakpoint": "breakpoint()",
    "help": "help()",
    "super": "super()",
    "memoryview": "memoryview(b'')",
    "exit": "raise SystemExit",
    "subclasses": "().__class__.__base__.__subclasses__()",
    "class of a literal": "x = ''.__class__",
    "globals of a function": "check_access.__globals__['__builtins__']",
    "globals of print": "print.__self__",
    "builtins by name": "__builtins__['open']",
    "builtins rebound": "__builtins__ = {}",
    "builtins caught": "try:\n    label = 1 + ''\nexcept Exception as __builtins__:\n    pass",
    "builtins as a parameter": "f = lambda __builtins__: 1",
    "builtins in a loop": "for __builtins__ in [{}]:\n    pass",
    "builtins in a comprehension": "x = [1 for __builtins__ in [1]]",
    "frame of a generator": "g = (x for x in [1])\nf = g.gi_frame",
    "frame of an error": "try:\n    x = [][0]\nexcept Exception as e:\n    f = e.__traceback__",
    "context of an error": "try:\n    x = [][0]\nexcept Exception as e:\n    f = e.__context__",
    "arguments of an error": "try:\n    x = [][0]\nexcept Exception as e:\n    f = e.args",
    "every error": "try:\n    x = [][0]\nexcept BaseException:\n    pass",
    "closure": "f = (lambda x: lambda: x)(1).__closure__",
    "default of a lambda": "f = lambda x=open: x('/etc/passwd')",
    "default of a function": "def f(x=().__class__):\n    return x",
    "format reads attributes": "x = '{0.__class__}'.format('')",
    "format map": "x = '{a}'.format_map({})",
    "format specification": "x = f'{1:{10}}'",
    "format by percent": "x = '%(a)s' % {'a': 1}",
    "attribute in an f-string": "x = f'{print.__self__}'",
    "decorator": "@print\ndef f():\n    pass",
    "class": "class X:\n    pass",
    "metaclass": "class X(metaclass=print):\n    pass",
    "with": "with print as x:\n    pass",
    "yield": "def f():\n    yield 1",
    "await": "async def f():\n    await f()",
    "global": "def f():\n    global label\n    label = 0",
    "nonlocal": "def f():\n    x = 1\n    def g():\n        nonlocal x",
    "delete": "del print",
    "walrus": "x = [(y := 1)]",
    "match": "match 1:\n    case int():\n        pass",
    "assert": "assert False",
    "type alias": "type X = int",
    "type parameter": "def f[T](x):\n    return x",
    "attribute set": "check_access.get = print",
    "attribute of a method": "x = ''.join.__self__",
    "toolbox redefined": "def check_access(a, b, c):\n    return True, {}",
    "toolbox assigned": "check_access = lambda a, b, c: (True, {})",
    "toolbox unpacked": "(check_access, x) = (1, 2)",
    "toolbox in a loop": "for check_access in [1]:\n    pass",
    "toolbox in a comprehension": "x = [check_access for check_access in [1]]",
    "toolbox as a parameter": "def f(check_access):\n    return check_access",
    "toolbox as an error": "try:\n    x = [][0]\nexcept Exception as check_access:\n    pass",
    "toolbox by star": "x, *check_access = [1, 2]",
    "toolbox augmented": "check_access += 1",
    "input redefined": "agent_input = 'nothing'",
    "builtin redefined": "len = lambda x: 0",
    "look-alike letters": "ｅxec('1')",
    "power": "x = 9 ** 9",
    "power in place": "x = 9\nx **= 999999999",
    "shift": "x = 1 << 999999999",
    "bytes": "x = b'a'",
    "complex": "x = 1j",
    "ellipsis attribute": "x = ....__class__",
    "null character": "x = 1\x00",
    "deep brackets": "x = " + "(" * 250 + "1" + ")" * 250,
    "deep lists": "x = " + "[" * 60 + "1" + "]" * 60,
    "deep signs": "x = " + "-" * 9000 + "1",
    "deep attribute": "x = ''" + ".strip()" * 900,
    "too long": "x = 1\n" * 6000,
}  # fmt: skip


@pytest.mark.parametrize("name", ESCAPES)
def test_an_escape_is_refused_before_anything_runs(name: str) -> None:
    problems = check_subset(ESCAPES[name], GIVEN)
    assert problems
    assert all(problem.message for problem in problems)


def test_refused_text_does_not_run_in_the_sandbox_either() -> None:
    done = execute("label = 0\nimport os", {}, Toolbox.standard())
    assert done.values == {}
    assert "Import" in done.error


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_any_text_is_judged_without_an_error(text: str) -> None:
    """It would fail by an error of the parser; a text that is refused comes with what to write instead."""
    assert all(problem.message and problem.instead for problem in check_subset(text, GIVEN))


@given(st.sampled_from(sorted(set(dir(builtins)) - BUILTINS - EXCEPTIONS)))
def test_a_builtin_that_is_not_listed_is_refused(name: str) -> None:
    assert check_subset(f"x = {name}", GIVEN) or name in ("True", "False", "None", "__debug__")


@given(st.sampled_from([str, list, dict, set, int, float, tuple, print, ValueError]))
def test_no_attribute_but_the_listed_methods_is_accepted(kind: object) -> None:
    for name in dir(kind):
        assert bool(check_subset(f"x = (1).{name}", ())) is (name not in METHODS)


GOOD = """
def violated(age, limit):
    return age < limit

ages = [int(part) for part in "17 44".split()]
broken = [f"age {age}" for age in ages if violated(age, 18)]
try:
    first = broken[0]
except IndexError as error:
    first = str(error)
while len(ages) > 5:
    ages.pop()
ok, missing = check_access("nurse", {"lab": ["result"]}, {"nurse": {"lab": ["result"]}})
label = 1 if broken and ok else 0
details = sorted({item.upper() for item in broken}, key=lambda item: -len(item))
total: int = 7 % 3
print("label", label)
"""


def test_ordinary_guardrail_code_runs_and_gives_its_variables() -> None:
    done = execute(GOOD, {"agent_input": "", "agent_output": ""}, Toolbox.standard())
    assert done.error == ""
    assert done.values["label"] == 1
    assert done.values["details"] == ["AGE 17"]
    assert done.values["violated"] is None
    assert "agent_input" not in done.values
    assert done.output == "label 1"


LIMITS = {
    "endless loop": ("while True:\n    pass", "longer than"),
    "endless loop that catches": (
        "while True:\n    try:\n        x = [][0]\n    except:\n        pass",
        "longer than",
    ),
    "memory": ("x = list(range(10 * 1000 * 1000 * 1000))", "memory"),
    "memory of a text": ("x = 'a' * (10 * 1000 * 1000 * 1000)", "memory"),
    "recursion": ("def f(x):\n    return f(x)\nf(1)", "RecursionError"),
    "recursion by comparison": (
        "x = []\ny = []\nfor i in range(100000):\n    x = [x]\n    y = [y]\nz = x == y",
        "RecursionError",
    ),
    "digits": ("x = int('9' * 9000)", "ValueError"),
    "error of digits": (
        "x = 9\nfor i in range(16):\n    x = x * x\nraise ValueError(x)",
        "ValueError",
    ),
    "division": ("x = 1 // 0", "ZeroDivisionError"),
    "error of a tool": ("check_access(lambda: 1, 1, 1)", "AttributeError"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_code_that_reaches_a_limit_fails_with_words_for_the_model(name: str) -> None:
    code, message = LIMITS[name]
    done = execute(code, {}, Toolbox.standard(), seconds=1)
    assert message in done.error


def test_output_and_values_are_bounded() -> None:
    code = "for i in range(5000):\n    print('x' * 1000)\nbig = 'x' * 1000000\nsmall = 1"
    done = execute(code, {}, Toolbox.empty())
    assert len(done.output) <= LONGEST_OUTPUT
    assert done.values["big"] is None
    assert done.values["small"] == 1
    assert LONGEST_VALUE < 1_000_000


def test_values_without_a_json_form_become_none() -> None:
    lines = (
        "x = [1]",
        "x.append(x)",
        "huge = {9}",
        "for i in range(14):",
        "    huge = {sum(huge) * sum(huge)}",
        "g = (i for i in x)",
    )
    code = "\n".join(lines)
    done = execute(code, {}, Toolbox.empty())
    assert done.error == ""
    assert done.values["x"] is None
    assert done.values["huge"] is None
    assert done.values["g"] is None


def test_the_process_knows_nothing_of_this_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret")
    toolbox = Toolbox.empty().with_function(environment_of_the_process)
    done = execute("seen = environment_of_the_process()", {}, toolbox)
    assert done.error == ""
    assert "very-secret" not in str(done.values["seen"])


def environment_of_the_process() -> list[str]:
    """The whole environment of the calling process."""
    import os

    return [f"{name}={value}" for name, value in os.environ.items()]


@settings(max_examples=examples(25))
@given(
    st.dictionaries(st.sampled_from(["a", "b"]), st.lists(st.sampled_from(["x", "y"]))),
    st.dictionaries(st.sampled_from(["a", "b"]), st.lists(st.sampled_from(["x", "y"]))),
)
def test_access_is_granted_exactly_if_every_needed_column_is_readable(
    needed: dict[str, list[str]], readable: dict[str, list[str]]
) -> None:
    granted, inaccessible = check_access("r", needed, {"r": readable})
    expected = all(
        table in readable and all(column in readable[table] for column in columns)
        for table, columns in needed.items()
    )
    assert granted is expected
    assert granted is (not inaccessible)
