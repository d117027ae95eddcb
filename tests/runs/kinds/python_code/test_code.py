"""The kind ``code``: examples by hand of what a policy sees, and runs that show that nothing is hidden."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.kinds.python_code.code_runner import CodeRunner
from workbench.model import Json, RecordValue, Value
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.values.found_value import Missing

FOLDER = "/work"


def part(code: str, name: str, **options: Json) -> Value:
    return KINDS["code"].reader({"folder": FOLDER, **options}).part(code, name)


def refused(code: str, name: str = "names", **options: Json) -> str:
    with pytest.raises(Missing) as missing:
        part(code, name, **options)
    return str(missing.value)


def files(code: str, **options: Json) -> set[tuple[str, str]]:
    records = cast("tuple[RecordValue, ...]", part(code, "files", **options))
    return {(str(record.path), str(record.way)) for record in records}


def calls(code: str, name: str) -> list[dict[str, Value]]:
    every = (
        dict(record_value.fields) for record_value in cast("tuple[RecordValue, ...]", part(code, "calls"))
    )
    return [record for record in every if record["name"] == name]


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.remove('a')",
        "import os as o\no.remove('a')",
        "from os import remove\nremove('a')",
        "from os import remove as gone\ngone('a')",
        "import os\nx = os\nx.remove('a')",
        "import os\nx = y = os\ny.remove('a')",
        "import os\nif (x := os):\n    x.remove('a')",
        "import os.path\nos.remove('a')",
        "import posixpath, os\nf = os.remove\nf('a')",
        "import os\nfs = {'a': [os.remove]}\nfs['a'][0]('a')",
        "import os\nlist(map(os.remove, ['a']))",
        "import os\n(lambda f=os.remove: f('a'))()",
        "import os\ndef f(g=os.remove):\n    g('a')",
        "import os\n[g('a') for g in (os.remove,)]",
        "import os\nclass A:\n    f = os.remove\nA.f('a')",
        "import os\n@os.remove\ndef f(): pass",
        "import os\nclass A(metaclass=os.remove): pass",
        "import os\nf'{os.remove(chr(97))}'",
        "import os\ngetattr(os, 'remove')('a')",
        "import os\nn = 'rem' + 'ove'\ngetattr(os, n)('a')",
        "import os\nmatch os.remove:\n    case f: f('a')",
        "import os\ntry:\n    pass\nexcept os.remove('a'):\n    pass",
        "import os\nasync def f():\n    async with os.remove('a'): pass",
        "import os\nos = os\nos.remove('a')",
        "import os\ndef f():\n    global os\n    os = 1\nos.remove('a')",
        "def f():\n    import os\n    def g():\n        os.remove('a')\n    return g",
        "def f():\n    x = 1\n    def g():\n        nonlocal x\n        import os as x\n"
        "    g()\n    x.remove('a')",
        "import os\nx = 1\nclass A:\n    x = os.getcwd\n    def f(self): return x\nos.remove('a')",
        "import os\ndef f():\n    x = 1\n    class A:\n        x.remove('a')\n        x = 2\n"
        "    return A\nx = os",
    ],
)
def test_a_function_is_named_through_every_name_that_it_has(code: str) -> None:
    assert "os.remove" in cast("frozenset[str]", part(code, "names"))


@pytest.mark.parametrize(
    "code",
    [
        "eval('1')",
        "f = eval",
        "map(exec, ['x'])",
        "import builtins\nbuiltins.eval('1')",
        "__import__('os')",
        "__builtins__['eval']('1')",
        "import importlib",
        "from importlib import import_module as load",
        "import subprocess",
        "import os\nos.system('ls')",
        "from os import popen as p",
        "import ctypes",
        "import pickle",
        "import os\ngetattr(os, input())",
        "f = getattr",
        "from os import *",
        "from . import a",
        "globals()['x']",
        "vars()",
        "import random\nrandom._os.popen('ls')",
        "import shutil\nshutil.os.system('ls')",
        "from shutil import os",
        "import json\njson.codecs.open('a')",
        "import typing\ntyping.sys.exit()",
        "import sys\nsys.modules['os']",
        "import sys\nsys._getframe(0)",
        "().__class__.__base__.__subclasses__()",
        "f'{print.__self__}'",
        "(x for x in ()).gi_frame.f_builtins",
        "'{0.__class__}'.format(1)",
        "input().format(1)",
        "'{:{0.x}}'.format(1)",
        "t = 'a' if id else input()\nt.format(1)",
        "import os\ndef f(m): pass\nf(os)",
        "import os\nfor m in [os]:\n    m.remove('a')",
        "import os\na, b = os, 1",
        "import os\nclass A:\n    m = os",
        "import os\ntry:\n    os.nope\nexcept AttributeError as e:\n    e.obj.remove('a')",
        "df.head()",
        "import warnings\nwarnings.catch_warnings()._module",
        "import operator\noperator.attrgetter('system')",
        "class A:\n    __x = 1\n    def f(self): return __x",
        "__builtins__ = {}",
        'def f(x: "print(1)"): pass',
        "import pandas as pd\npd.DataFrame().eval('1')",
        "import pandas as pd\npd.DataFrame().query('@pd.x')",
        "import pandas as pd\npd.DataFrame().query(input())",
        "import pandas as pd\npd.DataFrame().agg(input())",
        "import pandas as pd\npd.DataFrame().apply('eval')",
        "import pandas as pd\npd.read_pickle('a')",
        "import yaml\nyaml.load('a')",
        "type X = int",
        "def f[T](x: T): pass",
        "import os\nx = os.path\nprint(x)",
        "import tokenize\ntokenize._builtin_open('a')",
        "import a.b\nprint(a)",
        "import unittest.mock",
    ],
)
def test_what_hides_what_runs_leaves_nothing_determinable(code: str) -> None:
    assert part(code, "hidden") is True
    assert part(code, "why")
    for name in ("names", "imports", "attributes", "calls", "files"):
        assert refused(code, name).startswith("the code hides what runs: line ")
    names = {name for name, _ in KINDS["code"].reader({}).record(code).fields}
    assert names == {"text", "hidden", "why"}


@pytest.mark.parametrize(
    "code",
    [
        "x = 1\nprint(x)",
        "class A:\n    def __init__(self):\n        super().__init__()\n        self.x = 1\nA().x",
        "type = 3\nprint(type)",
        "from __future__ import annotations\nimport math\nmath.sqrt(4)",
        "import datetime\ndatetime.datetime.now().isoformat()",
        "import numpy as np\nnp.random.rand(3)",
        "import collections.abc\nisinstance([], collections.abc.Sized)",
        "'{} {a:>3}'.format(1, a=2)",
        "try:\n    pass\nexcept ValueError as e:\n    print(type(e).__name__)",
        "if __name__ == '__main__':\n    print(1)",
        "import pandas as pd\ndf = pd.DataFrame()\n"
        "df.query('a > 1').agg({'a': ['sum', 'max']}).apply(lambda x: x)",
        "async def f():\n    async for x in y():\n        yield x\nasync def y():\n    yield 1",
        "with open('a') as f: f.read()",
    ],
)
def test_ordinary_code_hides_nothing(code: str) -> None:
    assert part(code, "why") == ""


@pytest.mark.parametrize("code", ["x = (", "!ls", "# -*- coding: utf-7 -*-\n1", "(" * 300, "%time 1"])
def test_what_is_no_python_is_missing(code: str) -> None:
    assert refused(code, "hidden").startswith("the code")


def test_what_a_call_is_given() -> None:
    code = "import requests\nurl = 'https://x.example/' + 'a'\nrequests.get(url, verify=False, timeout=-3)"
    assert calls(code, "requests.get") == [
        {
            "name": "requests.get",
            "texts": frozenset({"https://x.example/a"}),
            "named": frozenset({"verify", "timeout"}),
            "unknown": False,
        }
    ]
    assert calls("import requests\nf = requests.get\nf('a')", "requests.get")[0]["unknown"] is True
    assert calls("import requests\nrequests.get(input())", "requests.get")[0]["unknown"] is True
    assert calls("x = [1]\nx.append('a')", ".append")[0]["texts"] == {"a"}


def test_names_that_exist_before_the_code() -> None:
    assert "nothing defines" in refused("LoadDB('a')")
    assert part("LoadDB('a')", "names", given=["LoadDB"]) == {"LoadDB"}


NOTHING: set[tuple[str, str]] = set()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("open('a.txt')", {("/work/a.txt", "read")}),
        ("open('/x/a', 'w').write('1')", {("/x/a", "write")}),
        ("open(mode='rb+', file='a')", {("/work/a", "read"), ("/work/a", "write")}),
        (
            "n = 'a'\nfor m in ['r', 'a']:\n    open(f'sub/{n}', m)",
            {("/work/sub/a", "read"), ("/work/sub/a", "write")},
        ),
        ("import io\nio.open('../x')", {("/x", "read")}),
        ("from pathlib import Path\n(Path('a') / 'b').write_text('1')", {("/work/a/b", "write")}),
        ("from pathlib import Path\np = Path('a', '/b')\nwith p.open() as f: f.read()", {("/b", "read")}),
        ("import shutil\nshutil.move('a', 'b')", {("/work/a", "write"), ("/work/b", "write")}),
        (
            "import pandas as pd\npd.read_csv('a').describe().to_csv('b', index=False)",
            {("/work/a", "read"), ("/work/b", "write")},
        ),
        ("import pandas as pd\npd.DataFrame().to_csv(index=False)", NOTHING),
        ("import json, re\nprint(json.dumps(re.findall('a', 'b')))", NOTHING),
    ],
)
def test_files(code: str, expected: set[tuple[str, str]]) -> None:
    assert files(code) == expected


@pytest.mark.parametrize(
    "code",
    [
        "open(input())",
        "f = open\nf('a')",
        "list(map(open, ['a']))",
        "open('a', input())",
        "open(*['a'])",
        "open(**{'file': 'a'})",
        "open('a', opener=lambda p, f: 3)",
        "import os\nos.open('a', 0)",
        "import os\nos.chdir('/')",
        "import requests\nrequests.get('a')",
        "import mine",
        "import logging\nlogging.basicConfig(filename='a')",
        "from pathlib import Path\nPath(input()).unlink()",
        "from pathlib import Path\nPath('a').rename('b')",
        "from pathlib import Path\nPath('a').replace('b')",
        "from pathlib import Path\nPath.write_text(Path('a'), 'b')",
        "import pandas as pd\npd.DataFrame().to_orc('a')",
        "import pandas as pd\nf = pd.DataFrame().to_csv\nf('a')",
        "import pandas as pd\npd.DataFrame.to_csv(1, 'a')",
        "import pandas as pd\npd.read_csv('https://x/a')",
        "import sqlite3\nsqlite3.connect('a')",
        "import os\nos.mkdir('a', dir_fd=3)",
        "import pandas as pd\npd.DataFrame().agg('to_csv')",
        "x = 'a'\nx += input()\nopen(x)",
        "x = 'a'\ndef f(x): open(x)\nf('/etc/passwd')",
        "[open(x) for x in [input()]]",
        "open('~/a')\nopen(f'{1}')",
        "import numpy as np\nnp.zeros(3).tofile('a')",
        "def f():\n    nonlocal_ = 1\nopen(0)",
    ],
)
def test_files_that_the_text_does_not_say_are_not_determinable(code: str) -> None:
    assert part(code, "hidden") is False
    assert refused(code, "files")
    assert "files" not in dict(KINDS["code"].reader({"folder": FOLDER}).record(code).fields)


def test_functions_that_a_session_calls_harmless() -> None:
    code = "import requests\nrequests.get('a').json()"
    assert files(code, harmless=["requests.*"]) == set()
    assert refused(code, "files", harmless=["requests.post"])


# --- what ran is named ----------------------------------------------------------------

_TARGETS = (
    ("os", "getcwd", "()"),
    ("os", "getpid", "()"),
    ("json", "dumps", "([1])"),
    ("random", "randrange", "(3)"),
    ("shutil", "which", "('ls')"),
    ("os", "listdir", "('sub')"),
)
# Ways for a program to reach a function: M is the module, F its function, A its arguments.
_WAYS = (
    "import M\nM.FA",
    "import M as m\nm.FA",
    "from M import F\nFA",
    "from M import F as g\ngA",
    "from M import *\nFA",
    "import M\nm = M\nm.FA",
    "import M\ng = M.F\ngA",
    "import M\n[M.F][0]A",
    "import M\n{'a': M.F}['a']A",
    "import M\n(lambda: M.FA)()",
    "import M\n(lambda g: gA)(M.F)",
    "import M\ndef f(g=M.F):\n    return gA\nf()",
    "import M\n[gA for g in [M.F]]",
    "import M\nclass C:\n    g = staticmethod(M.F)\nC.gA",
    "import M\nclass C:\n    M.FA",
    "import M\ngetattr(M, 'F')A",
    "import M\ngetattr(M, 'F'[:1] + 'F'[1:])A",
    "import M\nvars(M)['F']A",
    "__import__('M').FA",
    "import importlib\nimportlib.import_module('M').FA",
    "import sys, M\nsys.modules['M'].FA",
    "eval('__import__(\"M\").FA')",
    "exec('import M; M.FA')",
    "import M\nM.__dict__['F']A",
    "import M\nglobals()['M'].FA",
    "import M, operator\noperator.attrgetter('F')(M)A",
    "import M, functools\nfunctools.partial(M.F)A",
    "import M\nlist(map(lambda g: gA, [M.F]))",
    "import M\n@lambda g: gA\n@lambda f: M.F\ndef f(): pass",
    "import M\nmatch M.F:\n    case g: gA",
    "import M\nmatch M:\n    case m: m.FA",
    "import M\n(g := M.F)A",
    "import M\ntry:\n    M.nothing\nexcept AttributeError as e:\n    e.obj.FA",
    "def f():\n    import M\n    def h():\n        return M.FA\n    return h()\nf()",
    "def f():\n    global M\n    import M\nf()\nM.FA",
    "import M\nfor g in (M.F,):\n    gA",
    "import M\nf'{M.FA}'",
    "import M\nwith __import__('contextlib').nullcontext(M.F) as g:\n    gA",
    "import M\ng, *h = [M.F]\ngA",
    "import M\ndef f(*a, **k):\n    return a[0]A\nf(M.F)",
    "import shutil\nshutil.os.getcwd()",
    "import random\nrandom._os.getpid()",
    "import M\nclass C:\n    def __getattr__(self, name): return M.F\nC().anythingA",
    "import M\ndel M\nimport M\nM.FA",
    "import M\nx = [M.F]\nx += [len]\nx[0]A",
    "().__class__.__base__.__subclasses__()",
    "x = (1 for _ in ())\nx.gi_frame.f_builtins['abs'](-1)",
    "abs = len\nabs('a')",
    "def f():\n    abs = len\n    abs('a')\nf()\nabs(-1)",
    "print.__self__.abs(-1)",
    "'{0.real}'.format(abs(-1))",
    "import M\ntype('T', (), {'g': staticmethod(M.F)}).gA",
    "import M\nasync def f(): return M.FA\nf().send(None)",
)
_FILE_WAYS = (
    "open('a.txt').read()",
    "open('a.txt', 'a').write('x')",
    "f = open\nf('b.txt')",
    "n = 'a'\nopen(n + '.txt')",
    "for n in ['a', 'b']:\n    open(f'{n}.txt')",
    "n = ['a.txt']\nn.append('b.txt')\nfor m in n:\n    open(m)",
    "from pathlib import Path\nPath('sub', 'x').write_text('1')",
    "from pathlib import Path\n(Path() / 'a.txt').unlink()",
    "from pathlib import Path\nPath('a.txt').replace('c.txt')",
    "import os\nos.rename('a.txt', 'sub/c.txt')",
    "import os\nos.chdir('sub')\nopen('c', 'w')",
    "import shutil\nshutil.copyfile('a.txt', 'sub/../c.txt')",
    "def f(n='a.txt'):\n    return open(n)\nf('b.txt')",
    "n = 'a.txt'\ndef f():\n    global n\n    n = 'b.txt'\nf()\nopen(n)",
    "n = 'a.txt'\nclass C:\n    n = 'b.txt'\n    open(n)",
    "import io\nio.open('a.txt', 'rb')",
    "import tarfile\ntarfile.bltn_open('a.txt')",
    "import os\nos.close(os.open('b.txt', os.O_RDWR))",
    "import fileinput\nlist(fileinput.input('a.txt'))",
    "import os\nos.makedirs('sub/x')",
    "list(map(open, ['a.txt']))",
    "open(*['b.txt'])",
    "open(file='a.txt', mode='r+')",
    "import os\nos.listdir()",
    "import glob\nglob.glob('*')",
    "import linecache\nlinecache.getline('a.txt', 1)",
    "import codecs\ncodecs.open('a.txt', encoding='utf-8')",
    "import gzip\ngzip.open('c.gz', 'wt').close()",
    "open(3 and 'a.txt')",
    "open('a.txt' if id else 'b.txt')",
    "import json\njson.dump([], open('c', 'w'))",
)


@pytest.fixture(scope="module")
def runner() -> Iterator[CodeRunner]:
    with CodeRunner() as running:
        yield running


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Some of the ways in sequence, in blocks and functions of all sorts."""
    pieces: list[str] = []
    for number in range(draw(st.integers(1, 3))):
        module, function, arguments = draw(st.sampled_from(_TARGETS))
        way = draw(st.sampled_from(_WAYS + _FILE_WAYS))
        text = way if way in _FILE_WAYS else way.replace("FA", "F" + arguments)
        if way not in _FILE_WAYS:
            text = (
                text.replace("]A", "]" + arguments)
                .replace(")A", ")" + arguments)
                .replace("gA", "g" + arguments)
            )
            text = text.replace("anythingA", "anything" + arguments)
            text = text.replace("'F'", f"'{function}'").replace("M", module)
            text = text.replace(".F", f".{function}").replace("import F", f"import {function}")
            text = text.replace("F" + arguments, function + arguments)
        around = draw(st.sampled_from(("", "def f{0}():", "class C{0}:", "try:", "if True:", "while True:")))
        body = "\n".join(f"    {line}" for line in text.split("\n")) if around else text
        after = {"def": f"f{number}()", "try": "except ZeroDivisionError: pass", "whi": ""}.get(
            around[:3], ""
        )
        if around.startswith("while"):
            body += "\n    break"
        pieces.append("\n".join(piece for piece in (around.format(number), body, after) if piece))
    return "\n".join(pieces)


def _check(program: str, runner: CodeRunner) -> bool:
    """Whether the program is determinable; if so, check that all its actions are named."""
    reader = KINDS["code"].reader({"folder": FOLDER})
    try:
        fields = dict(reader.record(program).fields)
    except Missing:
        return False
    if fields["hidden"]:
        return False
    ran = runner.run(program)
    names = cast("frozenset[str]", fields["names"])
    last = {name.rpartition(".")[2] for name in names} | cast("frozenset[str]", fields["attributes"])
    for called in ran.called:
        assert (called in names) if "." in called else (called in last), (program, called, ran)
    if "files" in fields:
        every = cast("tuple[RecordValue, ...]", fields["files"])
        assert ran.files <= {(str(record_value.path), str(record_value.way)) for record_value in every}, (
            program,
            ran,
        )
    return True


@settings(
    max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(program=programs())
def test_what_ran_is_named_or_the_code_is_not_determinable(program: str, runner: CodeRunner) -> None:
    _check(program, runner)


def test_every_way_is_named_or_hidden_and_most_are_named(runner: CodeRunner) -> None:
    single = [
        way.replace("A", "()").replace("M", "os").replace("F", "getcwd") for way in _WAYS if "C" not in way
    ]
    determinable = sum(_check(program, runner) for program in [*single, *_FILE_WAYS])
    assert determinable > 60


_ALIASES = """
import builtins, importlib, io, os, shutil, subprocess, sys, types
from workbench.runs.kinds.python_code.refused_names import hiding_module, hiding_path, named_path

paths = {}
for module in (builtins, io, os, shutil, subprocess, importlib):
    for name, value in vars(module).items():
        function = callable(value) and not isinstance(value, type)
        if not name.startswith("_") and (function or value is subprocess.Popen):
            paths.setdefault(id(value), set()).add(f"{module.__name__}.{name}".removeprefix("builtins."))
for top in sorted(sys.stdlib_module_names - {"turtle", "turtledemo"}):
    if top.startswith("_") or hiding_module(top):
        continue
    try:
        module = importlib.import_module(top)
    except ImportError:
        continue
    for name, value in vars(module).items():
        path = named_path(f"{top}.{name}")
        other_module = isinstance(value, types.ModuleType) and value.__name__ != path and path != "os.path"
        if not hiding_path(path) and (other_module or path not in paths.get(id(value), {path})):
            print(path)
"""


def test_no_module_of_the_standard_library_has_another_name_for_what_is_dangerous() -> None:
    completed = subprocess.run([sys.executable, "-c", _ALIASES], capture_output=True, text=True, check=True)
    assert completed.stdout.split() == []
