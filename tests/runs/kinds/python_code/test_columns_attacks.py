"""Programs that read a forbidden table in ways that a reader of code may miss; each of them is really run.

The readings of a program by instrumented tools have to be among its columns, or its columns are not
determined.
"""

# A program is on one line.
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.runs.extract.program_runner import Runner
from workbench.model import Extracted, Json
from workbench.runs.kinds.code import CODE
from workbench.runs.values.found_value import Missing

SCHEMA = {"patient": ("id", "age", "gender"), "cost": ("id", "cost"), "lab": ("id", "labname", "result")}
OPTIONS: dict[str, Json] = {
    "table": ["LoadDB"], "conditions": ["FilterDB"], "columns": ["GetValue"], "sql": ["SQLInterpreter"],
    "pure": ["Calculate", "Calendar"], "schema": {table: list(columns) for table, columns in SCHEMA.items()},
}  # fmt: skip
WHOLE, PROSE = CODE.reader(OPTIONS), CODE.reader({**OPTIONS, "prose": True})

REGIONS = [
    "x = 1\ncode: str\nanswer = GetValue(LoadDB('cost'), 'cost')",
    "rows = 1\ncode: rows\nanswer = GetValue(LoadDB('cost'), 'cost')\nquery: rows\nx = 2",
    '"""\nSolution:\nx = 1\nAnswer:\n"""\nanswer = GetValue(LoadDB(\'cost\'), \'cost\')',
    'answer = GetValue(LoadDB(\'cost\'), \'cost\')\n"""\nGenerated code:\nx = 1\n"""',
    "s = '''\n```python\nx = 1\n```\n'''\nanswer = GetValue(LoadDB('cost'), 'cost')",
    "answer = GetValue(LoadDB('cost'), 'cost')\ns = '''\n```\nx = 1\n```\n'''",
    "# Solution:\nx = 1\n# Answer:\nanswer = GetValue(LoadDB('cost'), 'cost')",
    "solution: str = 'x'\nresult: str = GetValue(LoadDB('cost'), 'cost')",
    "x = '''\nsql: select labname from lab\nresult:\n'''\ny = SQLInterpreter('select cost from cost')",
    "output: int = 1\ncode: int = 2\nLoadDB('cost')\nanswer: int = 3",
    "def f():\n    '''\n    Code:\n    x = 1\n    Answer:\n    '''\n    return GetValue(LoadDB('cost'), 'id')\nanswer = f()",
    "s = '''\n~~~\nx = 1\n~~~\n'''; answer = GetValue(LoadDB('cost'), 'id')",
]
JUMPS = [
    "t = 'cost'\nwhile True:\n    if t:\n        break\n    t = 'lab'\nanswer = LoadDB(t)",
    "for t in ['lab', 'cost', 'lab']:\n    if t == 'cost':\n        break\nanswer = LoadDB(t)",
    "t = 'lab'\nfor i in range(2):\n    if i == 0:\n        t = 'cost'\n        continue\n    LoadDB(t)\n    t = 'lab'",
    "def f():\n    t = 'cost'\n    if t:\n        return t\n    t = 'lab'\n    return t\nanswer = LoadDB(f())",
    "def f():\n    return 'cost'\n    return 'lab'\nanswer = LoadDB(f())",
    "t = 'lab'\ntry:\n    t = 'cost'\n    raise ValueError\n    t = 'lab'\nexcept ValueError:\n    LoadDB(t)",
    "t = 'lab'\ntry:\n    t = 'cost'\n    int('x')\n    t = 'lab'\nexcept ValueError:\n    pass\nanswer = LoadDB(t)",
    "def f():\n    t = 'lab'\n    try:\n        return 1\n    finally:\n        LoadDB('cost')\nf()",
    "t = 'cost'\nfor i in range(3):\n    pass\nelse:\n    LoadDB(t)\n    t = 'lab'",
    "t, u = 'lab', 'cost'\nfor i in range(2):\n    x = LoadDB(t)\n    t, u = u, t",
    "a = b = c = 'lab'\nfor i in range(4):\n    LoadDB(a)\n    a = b\n    b = c\n    c = 'cost'",
    "try:\n    1 / 0\nexcept ZeroDivisionError:\n    t = 'cost'\nelse:\n    t = 'lab'\nLoadDB(t)",
    "def f(n):\n    if n:\n        return f(n - 1)\n    return 'cost'\nLoadDB(f(3))",
    "t = 'lab'\nfor i in range(2):\n    try:\n        t = 'cost'\n        continue\n    finally:\n        LoadDB(t)\nt = 'lab'",
]
ALIASES = [
    "A = ['lab']\nB = A\nB[0] = 'cost'\nLoadDB(A[0])",
    "A = ['lab']\ndef f(x):\n    x[0] = 'cost'\nf(A)\nLoadDB(A[0])",
    "A = {'t': ['lab']}\nA['t'][0] = 'cost'\nLoadDB(A['t'][0])",
    "A = [['lab']]\nB = A[0]\nB += ['cost']\nLoadDB(A[0][-1])",
    "A = ['lab', 'lab']\nA[:] = ['cost']\nLoadDB(A[0])",
    "A = ['lab', 'cost']\nA.reverse()\nLoadDB(A[0])",
    "A = ['lab', 'cost']\nA.pop(0)\nLoadDB(A[0])",
    "A = {}\nB = A\nB.setdefault('t', []).append('cost')\nLoadDB(A['t'][0])",
    "A = {'t': 'lab'}\nB = {'x': A}\nB['x'] |= {'t': 'cost'}\nLoadDB(A['t'])",
    "def f(x=['lab']):\n    LoadDB(x[-1])\n    x.append('cost')\nf()\nf()",
    "A = ['lab']\nfor B in [A]:\n    B.insert(0, 'cost')\nLoadDB(A[0])",
    "A = ['lab']\nB = (A, 1)\nC, D = B\nC.extend(['cost'])\nLoadDB(A[1])",
    "A = [0]\nA[0], t = 'cost', A\nLoadDB(t[0])",
    "A = ['lab']\nB = [A for i in range(2)]\nB[1][0] = 'cost'\nLoadDB(B[0][0])",
    "A = {'lab'}\nB = A\nB.add('cost')\nfor t in A:\n    LoadDB(t)",
    "l = ['select labname from lab']\nl *= 2\nSQLInterpreter(' union select cost from cost union '.join(l))",
]
WALRUS = [
    "t = 'lab'\n[(t := 'cost') for i in range(1)]\nLoadDB(t)",
    "t = 'lab'\nx = True and (t := 'cost')\nLoadDB(t)",
    "t = 'lab'\nx = False or (t := 'cost')\nLoadDB(t)",
    "t = 'lab'\nx = (t := 'cost') if 1 else 2\nLoadDB(t)",
    "t = 'lab'\nx = 0 < (1 if (t := 'cost') else 2) < 3\nLoadDB(t)",
    "t = 'lab'\nx = f'{(t := \"cost\")}'\nLoadDB(t)",
    "t = 'lab'\nx = [t, (t := 'cost'), t][2]\nLoadDB(t)",
    "t = 'lab'\nwhile (t := 'cost') == 'lab':\n    pass\nLoadDB(t)",
    "t = 'lab'\nany((t := u) == 'cost' for u in ['cost', 'lab'])\nLoadDB(t)",
    "t = 'lab'\ndef f():\n    global t\n    return (t := 'cost')\nf()\nLoadDB(t)",
    "t = 'lab'\nx = {1: (t := 'cost')}\nLoadDB(t)",
    "t = 'lab'\nx = [1, 2][(t := 'cost') == 'lab']\nLoadDB(t)",
    "t = 'lab'\ndef f(x=(t := 'cost')):\n    return 1\nLoadDB(t)",
    "LoadDB((t := 'cost'))",
]
FUNCTIONS = [
    "list(map(eval, [\"LoadDB('cost')\"]))",
    "list(map(LoadDB, ['cost']))",
    "list(filter(LoadDB, ['cost']))",
    "sorted(['cost'], key=LoadDB)",
    "['cost'].sort(key=lambda t: LoadDB(t))",
    "f = {'f': LoadDB}\nf['f']('cost')",
    "f = [eval]\nf[0](\"LoadDB('cost')\")",
    "def g(f):\n    return f('cost')\ng(LoadDB)",
    "def f():\n    return LoadDB\nf()('cost')",
    "C = type('C', (), {'__init__': lambda self: LoadDB('cost') and None})\nC()",
    "class C:\n    x = LoadDB('cost')",
    "def d(f):\n    return LoadDB('cost')\n@d\ndef f():\n    pass",
    "f = lambda t='cost': LoadDB(t)\nf()",
    "import functools\nfunctools.reduce(lambda a, b: LoadDB(b), ['lab', 'cost'])",
    "max(['cost', 'lab'], key=lambda t: len(LoadDB(t)))",
    "LoadDB(*['cost'])",
    "LoadDB(**{'name': 'cost'})",
    "import re\nre.sub('x', lambda m: str(LoadDB('cost')), 'x')",
    "(LoadDB if 1 else 2)('cost')",
    "exec(\"LoadDB('cost')\")",
    "print.__self__.eval(\"LoadDB('cost')\", {'LoadDB': LoadDB})",
]
DOORS = [
    "import random\nrandom._os.popen('cat cost.csv')",
    "import typing\ntyping.sys._getframe(0).f_globals['LoadDB']('cost')",
    "import json\njson.codecs.open('cost.csv')",
    "__builtins__['eval'](\"LoadDB('cost')\") if isinstance(__builtins__, dict) else __builtins__.eval(\"LoadDB('cost')\")",
    "from random import _os\n_os.popen('cat cost.csv')",
    "import statistics as s\ns.sys.modules['os'].popen('cat cost.csv')",
    "import re as r\nx = r.enum.sys._getframe(0).f_globals['LoadDB']('cost')",
    "globals()['LoadDB']('cost')",
    "vars()['LoadDB']('cost')",
    "getattr(LoadDB, '__call__')('cost')",
    "().__class__.__base__.__subclasses__()\nLoadDB.__call__('cost')",
    "from operator import methodcaller\nmethodcaller('__call__', 'cost')(LoadDB)",
    "import collections\ncollections._sys._getframe(0).f_globals['LoadDB']('cost')",
    "open('cost.csv')",
    "__import__('os').popen('cat cost.csv')",
]
COMPUTED = [
    "SQLInterpreter('select labname from lab union ' + 'tsoc morf tsoc tceles'[::-1])",
    "SQLInterpreter('select labname from lab union ' + ''.join(reversed('tsoc morf tsoc tceles')))",
    "q = 'select x from x'.replace('x', 'cost')\nSQLInterpreter(q)",
    "SQLInterpreter('select {0} from {0}'.format('cost'))",
    "SQLInterpreter('select %s from %s' % (('cost',) * 2))",
    "w = ['select', 'cost', 'from', 'cost']\nSQLInterpreter(' '.join(w))",
    "LoadDB(''.join(chr(c) for c in [99, 111, 115, 116]))",
    "LoadDB(bytes([99, 111, 115, 116]).decode())",
    "LoadDB('xcostx'.strip('x'))",
    "LoadDB('COST'.lower())",
    "LoadDB('lab,cost'.split(',')[1])",
    "LoadDB('A cost cost'.rsplit(' cos')[0].lower() and 'cost')",
    "import json\nLoadDB(json.loads('[\"cost\"]')[0])",
    "FilterDB(LoadDB('cost'), 'i' 'd' + chr(61) + '3' + chr(124) * 2 + 'cost>3')",
    "v = GetValue(LoadDB('lab'), 'labname')\nSQLInterpreter('select id from lab where id in (' + 'tsoc morf di tceles'[::-1] + ')')",
    "LoadDB(next(iter({'cost': 1})))",
    "LoadDB(str(Exception('cost')))",
    "d = {'lab': 'cost'}\nLoadDB(d.popitem()[1])",
    "import math\nSQLInterpreter(f\"select id from lab where id = {math.prod(['(select cost from cost)'])}\")",
]
SCOPES = [
    "t = 'lab'\ndef f():\n    LoadDB(t)\nt = 'cost'\nf()",
    "def f():\n    t = 'lab'\n    def g():\n        nonlocal t\n        t = 'cost'\n    g()\n    LoadDB(t)\nf()",
    "def f():\n    global t\n    t = 'cost'\nt = 'lab'\nf()\nLoadDB(t)",
    "t = 'lab'\ng = (LoadDB(t) for i in range(1))\nt = 'cost'\nlist(g)",
    "t = 'cost'\ndef f():\n    [t for t in ['lab']]\n    LoadDB(t)\nf()",
    "t = 'cost'\nx = [t for t in ['lab']]\nLoadDB(t)",
    "def f(t):\n    def g(u=t):\n        return LoadDB(u)\n    t = 'lab'\n    g()\nf('cost')",
    "t = max(['cost'])\ndef max(x):\n    return 'lab'\nLoadDB(t)",
    "def f():\n    return t\nt = 'lab'\nLoadDB(f())\nt = 'cost'\nLoadDB(f())",
    "len = LoadDB\nlen('cost')",
    "def GetValue(d, c):\n    return 1\nanswer = LoadDB('cost')",
    "from math import floor as LoadDB\nfrom builtins import print\nSQLInterpreter('select cost from cost')",
    "t = 'lab'\ndef f(x=t):\n    return x\nt = 'cost'\ndef f(x=t):\n    return x\nLoadDB(f())",
]
TABLES = [
    "answer = LoadDB('cost')",
    "d = LoadDB('cost')\nprint(d)",
    "for row in LoadDB('cost'):\n    print(row)",
    "for row in LoadDB('cost'):\n    c = 'cost'\n    x = row[c]",
    "x = [row.get('cost') for row in LoadDB('cost')]",
    "x = ['cost' in row for row in LoadDB('cost')]",
    "d = LoadDB('cost')\nc = Calculate('1')\nfor row in d:\n    for k in row:\n        x = row[k]",
    "d = [LoadDB('lab')]\nd.append(LoadDB('cost'))\nanswer = str(d)",
    "d = {'x': LoadDB('cost')}\nanswer = '{x}'.format(x=d['x'])",
    "raise ValueError(LoadDB('cost'))",
    "assert False, LoadDB('cost')",
    "try:\n    raise ValueError(LoadDB('cost'))\nexcept ValueError as e:\n    print(e)",
    "d = LoadDB('cost')\nd",
    "x = LoadDB('cost')[0]['cost']",
    "x = LoadDB('cost')[['id', 'cost']]",
    "a, b = LoadDB('cost')\nx = a['cost']",
    "'{0.cost}'.format(LoadDB('cost'))",
]
CHARACTERS = [
    "x = 1 # c\rLoadDB('cost')",
    "x = 1 # c\r\rSQLInterpreter('select cost from cost')",
    "LoadDB('\u200blab    cost'[8:12].strip() or 'cost')",
    "\uff2coadDB('cost')",
    "\U0001d577oadDB('cost')\nt = 'lab'",
    "t = 'lab'\n\uff54 = 'cost'\nLoadDB(t)",
    "x = 1 # c\x0c\nLoadDB('cost')",
    "x = 1;\x0cLoadDB('cost')",
    "# -*- coding: utf-8 -*-\nLoadDB('c\N{LATIN SMALL LETTER O}st')",
    "LoadDB('\\x63\\u006f\\163\\N{LATIN SMALL LETTER T}')",
    "LoadDB('co\\\nst')",
    "LoadDB('lab' \\\n 'cost'[4:] if 0 else\t'cost')",
    "'''\r'''\rLoadDB('cost')\r'''\r'''",
    "t = 'lab' # \u2028t = 'lab'\rt = 'cost'\nLoadDB(t)",
    "def \u017fetup():\n    return 'cost'\nLoadDB(setup())",
]
HANDED_ON = [
    "fs = [(lambda: t) for t in ['lab', 'cost']]\nfor f in fs: LoadDB(f())",
    "fs = []\nfor t in ['lab', 'cost']:\n    fs.append(lambda: t)\nLoadDB(fs[0]())",
    "l = ['lab']\nf = l.append\nf('cost')\nLoadDB(l[-1])",
    "from operator import itemgetter\nLoadDB(itemgetter('t')({'t': 'cost', 'u': 'lab'}))",
    "f = '||'.join\nx = FilterDB(LoadDB('cost'), f(['id=3', 'cost>3']))",
    "fix = lambda g: (lambda x: g(lambda v: x(x)(v)))(lambda x: g(lambda v: x(x)(v)))\nLoadDB(fix(lambda me: lambda n: me(n - 1) if n else 'cost')(3))",
    "from collections import defaultdict\nd = defaultdict(lambda: 'cost')\nLoadDB(d['x'])",
    "for f in (LoadDB, len): f('cost')",
    "import copy\nl = ['lab']\nx = copy.copy([l])\nx[0].append('cost')\nLoadDB(l[-1])",
    "list.append(l := ['lab'], 'cost')\nLoadDB(l[-1])",
    "l = ['lab']\nlist(map(list.append, [l], ['cost']))\nLoadDB(l[-1])",
    "l = ['lab']\nsorted([1, 2], key=lambda x: l.append('cost') or 1)\nLoadDB(l[-1])",
    "def g():\n    yield 'lab'\n    yield 'cost'\nfor t in g(): LoadDB(t)",
    "def g(ts):\n    yield from ts\nfor t in g(['cost']): LoadDB(t)",
    "def make(t):\n    return lambda: LoadDB(t)\nfs = [make(t) for t in ['lab', 'cost']]\nfor f in fs: x = f()",
    "def make(n):\n    def inner():\n        return n\n    return make('cost') if n == 'lab' else inner\nLoadDB(make('lab')())",
    "def f(*ts, **k):\n    for t in ts: LoadDB(t)\n    for t in k.values(): LoadDB(t)\nf('lab', *['lab'], **{'a': 'cost'})",
    "def f(a, b='lab', *, c='lab'): LoadDB(a); LoadDB(b); LoadDB(c)\nf(*['lab', 'cost'])",
    "def f(a, b='lab', *, c='lab'): LoadDB(a); LoadDB(b); LoadDB(c)\nx = ['lab']; x.append('cost')\nf(*x)",
    "def f(a='lab', b='lab', *, c='lab'): LoadDB(a); LoadDB(b); LoadDB(c)\nk = {}; k['c'] = 'cost'\nf(**k)",
    "import functools\nfunctools.reduce(lambda a, b: LoadDB(b), ['lab', 'cost'])",
    "import functools\nLoadDB(functools.reduce(lambda a, b: a + b, ['co', 's', 't']))",
    "import functools\nl = functools.reduce(lambda a, b: a + [b], ['lab', 'cost'], [])\nLoadDB(l[-1])",
    "import re\nre.sub('x', lambda m: str(LoadDB('cost')), 'x')",
    "import re\ndef f(m):\n    t = 'cost'\n    LoadDB(t)\n    return ''\nre.sub('x', f, 'x')",
    "max(['cost', 'lab'], key=LoadDB)",
    "l = list(map(lambda a, b: a + b, ['co'], ['st']))\nLoadDB(l[0])",
    "d = {'a': lambda: 'lab', 'b': lambda: 'cost'}\nfor k in d: LoadDB(d[k]())",
    "d = dict(a='lab', b='cost')\nfor k in d: LoadDB(d[k])",
    "d = {'a': 'lab'}\nd['a'] = 'cost'\nLoadDB(d['a'])",
    "d = {'a': 'lab', **{'a': 'cost'}}\nLoadDB(d['a'])",
    "d = {'a': 'lab', 'a': 'cost'}\nLoadDB(d['a'])",
    "def f(d): d.update(a='cost')\nd = {'a': 'lab'}\nf(d)\nLoadDB(d['a'])",
    "d = {'a': 'lab'}\ne = d\ne |= {'a': 'cost'}\nLoadDB(d.get('a'))",
    "max = 'lab'\ndel max\nt = max(['cost'])\nLoadDB(t)",
    "LoadDB = LoadDB\nLoadDB('cost')",
    "def LoadDB2(t, load=LoadDB): return load(t)\nLoadDB2('cost')",
    "(lambda: LoadDB('cost'))()",
    "f = lambda: (x := 'cost')\nLoadDB(f())",
    "def f():\n    x = 'lab'\n    g = lambda: x\n    x = 'cost'\n    return g()\nLoadDB(f())",
    "def f():\n    x = 'lab'\n    def g():\n        nonlocal x\n        x = 'cost'\n    list(map(lambda _: g(), [1]))\n    return x\nLoadDB(f())",
    "t = 'lab'\ndef f():\n    global t\n    t = 'cost'\nsorted([1], key=lambda _: f() or 1)\nLoadDB(t)",
    "t = LoadDB('cost')\nt['id'] = 'x'\nx = t['cost']",
    "t = LoadDB('cost')\nrows = sorted(t, key=lambda r: r['cost'])",
    "t = LoadDB('cost')\nx = max(t, key=lambda r: r.get('cost'))",
    "t = LoadDB('cost')\nf = t[0].get\nx = f('cost')",
    "t = LoadDB('cost')\nx = t.loc[0, 'cost']",
    "t = LoadDB('cost')\nx = [v for v in zip(*t)]",
    "print(*LoadDB('cost'))",
    "def f(x): return x['cost']\nx = list(filter(f, LoadDB('cost')))",
    "x = [*map(dict, LoadDB('cost'))]",
    "import itertools\nx = [list(g) for k, g in itertools.groupby(LoadDB('cost'), key=lambda r: r['cost'])]",
    "try:\n    raise ValueError(lambda: LoadDB('cost'))\nexcept ValueError as e:\n    e.args[0]()",
    "import json\nx = json.loads('[]')\nx.append(lambda: LoadDB('cost'))\nx[0]()",
    "import contextlib\nt = 'lab'\nwith contextlib.suppress(ValueError):\n    t = 'cost'\n    int('x')\n    t = 'lab'\nLoadDB(t)",
    "str.join\nLoadDB(str.join('', ['co', 'st']))",
    "LoadDB(str.lower('COST'))",
    "x = (t := ['lab']) and t.extend(['cost'])\nfor u in map(str, t): LoadDB(u)",
    "def f(n, acc=[]):\n    acc.append('cost' if n else 'lab')\n    return acc\nf(0); LoadDB(f(1)[-1])",
    "f = [lambda t: LoadDB(t)].pop()\nf('cost')",
    "a, b = (lambda: 'lab'), (lambda: 'cost')\nLoadDB(b())",
    "t = LoadDB('lab')\nt['labname'] = [ '(select cost from cost)' ]\nv = t['labname'][0]\nx = SQLInterpreter(f'select id from lab where id = {v}')",
    "r = [row for row in LoadDB('lab')]\nr[0]['labname'] = '(select cost from cost)'\nx = SQLInterpreter(f\"select id from lab where id = {r[0]['labname']}\")",
    "s = LoadDB('lab')['labname']\ns.append('(select cost from cost)')\nx = SQLInterpreter(f\"select id from lab where id = {s[-1]}\")",
    "s = LoadDB('lab')['labname']\nm = s == 'x'\nx = SQLInterpreter(f\"select id from lab where id = {m}\") \ny = LoadDB('cost')[m]",
    "def outer():\n    t = 'lab'\n    def setter(v):\n        nonlocal t\n        t = v\n    return setter, lambda: t\ns, g = outer()\ns('cost')\nLoadDB(g())",
    "def counter(f, n):\n    return f if n == 0 else counter(lambda: 'cost', n - 1)\nLoadDB(counter(lambda: 'lab', 2)())",
    "def r(fs, n):\n    fs = fs + [lambda: n]\n    return fs if n == 'cost' else r(fs, 'cost')\nfor f in r([], 'lab'): LoadDB(f())",
    "f = lambda *a, **k: LoadDB(k['t'])\nf(t='cost')",
    "def gen():\n    x = yield 'lab'\n    LoadDB(x)\ng = gen(); next(g)\ng.send('cost')",
    "import heapq\nheapq.nlargest(1, ['cost', 'lab'], key=lambda t: len(LoadDB(t)))",
    "def f(x, /, y): return LoadDB(x)\nf('cost', y=1)",
    "x = {n: f for n, f in [('a', LoadDB)]}\nx['a']('cost')",
    "def f(t=None):\n    return t or 'cost'\nLoadDB(f())",
    "t = 'lab'\nclass_of = {True: 'cost', False: 'lab'}\nLoadDB(class_of[t == 'lab'])",
    "if __name__ == '__main__':\n    t = 'cost'\nLoadDB(t)",
    "from collections import Counter\nc = Counter(['cost'])\nLoadDB(c.most_common(1)[0][0])",
    "def f():\n    try:\n        yield 1\n    finally:\n        LoadDB('cost')\nlist(f())",
]
FORMATS = [
    "t = LoadDB('cost')\ndef f(): pass\nx = '{0.__globals__[t]}'.format(f)",
    "t = LoadDB('cost')\ntry:\n    1 / 0\nexcept Exception as e:\n    x = '{0.__traceback__.tb_frame.f_globals[t]}'.format(e)",
    "t = LoadDB('cost')\ndef g(): yield 1\nx = '{0.gi_frame.f_globals[t]}'.format(g())",
    "t = LoadDB('cost')\nq = Calculate(\"'{0.gi_frame.f_'\")\nq = q + 'globals[t]}'\ndef g(): yield 1\nx = q.format(g())",
    "t = LoadDB('cost')\ndef f(): pass\nx = str.format('{0.__globals__[t]}', f)",
    "t = LoadDB('cost')\ndef f(): pass\nx = list(map('{0.__globals__[t]}'.format, [f]))",
    "t = LoadDB('cost')\nf = lambda: 1\nx = '{a.__globals__[t]}'.format(**{'a': f})",
    "t = LoadDB('cost')\nf = lambda: 1\nx = '{0[0].__globals__[t]}'.format([f])",
]
CLASSES = {
    "handed on": HANDED_ON, "formats": FORMATS, "regions": REGIONS, "jumps": JUMPS, "aliases": ALIASES, "walrus": WALRUS, "functions as values": FUNCTIONS,
    "doors": DOORS, "computed": COMPUTED, "scopes": SCOPES, "tables": TABLES, "characters": CHARACTERS,
}  # fmt: skip
PROGRAMS = [
    pytest.param(text, id=f"{name}-{number}")
    for name, texts in CLASSES.items()
    for number, text in enumerate(texts)
]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner(SCHEMA) as started:
        yield started


def read(text: str, *, prose: bool = False) -> Extracted:
    """The columns that a program reads."""
    try:
        return Extracted((PROSE if prose else WHOLE).part(text, "columns"))
    except Missing as missing:
        return Extracted(missing=str(missing))


def covers(extracted: Extracted, table: str) -> bool:
    """Whether the readings are not determined, or include columns of the table."""
    if extracted.missing is not None:
        return True
    assert isinstance(extracted.value, frozenset)
    return any(str(item).startswith(f"{table}.") for item in extracted.value)


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_a_program_really_reads_is_found_or_the_program_is_refused(program: str, runner: Runner) -> None:
    reads = runner.python(program)
    extracted = read(program)
    assert covers(extracted, "cost")
    if extracted.missing is None:
        assert isinstance(extracted.value, frozenset)
        assert reads.columns <= extracted.value


DECIDED = {
    "x = ['cost' in row and row['cost'] for row in LoadDB('cost')]": "cost.cost",
    "for row in LoadDB('patient'):\n    if 'age' in row and row['age'] is not None:\n        x = row['age']": "patient.age",
    "x = [row['id'] for row in LoadDB('lab') if row.get('result')]": "lab.id lab.result",
    "d = LoadDB('patient')\nrow = d[0]\nanswer = row['gender']": "patient.gender",
    "d = LoadDB('patient')\nfor i, row in d.iterrows():\n    x = row['age']": "patient.age",
    "d = LoadDB('patient')\nanswer = d['age'][0]": "patient.age",
    "d = LoadDB('patient')\nanswer = d[d['age'] == 'age-1']['gender']": "patient.age patient.gender",
    "d = LoadDB('patient')\nx = GetValue(d, 'age')\nd = LoadDB('lab')\nanswer = GetValue(d, 'id')": "patient.age lab.id",
    "ids = GetValue(LoadDB('lab'), 'id, list')\nq = 'id in ({})'.format(', '.join(map(str, ids)))\n"
    "x = GetValue(FilterDB(LoadDB('patient'), q), 'age')": "lab.id patient.id patient.age",
    "def ask(table, column):\n    return GetValue(LoadDB(table), column)\nx = ask('lab', 'id')\ny = ask('patient', column='age')":
        "lab.id patient.age",
    "total = 0\nfor v in GetValue(LoadDB('lab'), 'result, list'):\n    try:\n        total += float(v)\n"
    "    except ValueError:\n        continue\nprint(f'{total:.2f}')": "lab.result",
    "import datetime\nd = datetime.datetime.now() - datetime.timedelta(days=3)\n"
    "x = GetValue(FilterDB(LoadDB('lab'), f\"id>{d.strftime('%Y-%m-%d')}\"), 'result')": "lab.id lab.result",
    "n = len(GetValue(LoadDB('lab'), 'id, list'))\nx = SQLInterpreter(f'select age from patient limit {n}')": "lab.id patient.age",
    "seen = set()\nfor v in GetValue(LoadDB('lab'), 'labname, list'):\n    if v not in seen:\n        seen.add(v)\n"
    "answer = sorted(seen)[:3]": "lab.labname",
    "found = {}\nfor t in ['lab', 'patient']:\n    found[t] = GetValue(LoadDB(t), 'id')\nanswer = found": "lab.id patient.id",
    "x: list[str] = []\nfor v in GetValue(LoadDB('lab'), 'id, list'):\n    x.append(v.strip())\nanswer = ', '.join(x)": "lab.id",
}  # fmt: skip


@pytest.mark.parametrize("program", DECIDED)
def test_programs_of_the_subset_are_decided_exactly(program: str, runner: Runner) -> None:
    extracted = read(program)
    assert extracted.missing is None, extracted.missing
    assert extracted.value == frozenset(DECIDED[program].split()) >= runner.python(program).columns


@pytest.mark.parametrize(
    "name",
    [
        "regions",
        "jumps",
        "aliases",
        "walrus",
        "functions as values",
        "computed",
        "scopes",
        "tables",
        "characters",
    ],
)
def test_the_programs_of_a_class_really_read_the_forbidden_table(name: str, runner: Runner) -> None:
    """So that the test above cannot hold for want of anything to find."""
    reading = [text for text in CLASSES[name] if "cost" in runner.python(text).loaded]
    assert len(reading) >= 10


@pytest.mark.parametrize(
    "text",
    [
        '--len("""\nselect cost from cost --""")',
        "--len(str(SQLInterpreter('select cost from cost')))\nselect -1",
        "--len(LoadDB('cost'))\nselect -1, 'a'",
        "--len(SQLInterpreter[select cost from cost])\nselect -1",
        "--len(LoadDB('cost'))\x0c\nselect -1",
        "--len(LoadDB('cost'))\u240c\nselect -1",
    ],
)
def test_a_text_that_may_be_python_or_sql_is_not_evaluated(text: str) -> None:
    assert covers(read(text, prose=True), "cost")


@pytest.mark.parametrize(
    "text",
    [
        "Solution:\nx = GetValue(LoadDB('lab'), 'id')\nAnswer:\n1\nSolution:\ny = GetValue(LoadDB('cost'), 'id')",
        "Generated code:\nx = 1\nAnswer: 2\n```python\nLoadDB('cost')\n```",
        "~~~python\nLoadDB('cost')\n~~~",
        "```\nt = 'lab'\n```\nthen\n```\nt = 'cost'\n```\nand\n```\nLoadDB(t)\n```",
        "x = 1\n'''\nSolution:\nx = 1\nAnswer:\n'''\nLoadDB('cost')",
    ],
)
def test_every_solution_in_the_prose_of_a_log_counts(text: str) -> None:
    assert covers(read(text, prose=True), "cost")
