"""The names that an argument may have are those that a policy can use."""

from __future__ import annotations

import builtins
import keyword

from tests.plain_policies import PolicyError, check
from workbench.policy.names import RESERVED, refused, usable

OTHERS = ("role", "Role", "from_", "_role", "1st", "prénom", "a b", "")
NAMES = sorted({*RESERVED, *keyword.kwlist, *keyword.softkwlist, *dir(builtins), *OTHERS})


def in_dialect(name: str) -> bool:
    rule = f'''def forbid_it({name}: str) -> bool:\n    """R1: No."""\n    return {name} == "a"\n\n\n'''
    try:
        check(f"{rule}def allow({name}: str) -> bool:\n    return not forbid_it({name})\n")
    except PolicyError:
        return False
    return True


def test_a_name_is_refused_exactly_where_a_policy_cannot_have_it() -> None:
    assert {name for name in NAMES if not refused(name)} == {name for name in NAMES if in_dialect(name)}
    assert {"role", "match", "print_", "sum_"} <= {*map(usable, NAMES)}
    for name in NAMES:
        if name in RESERVED or keyword.iskeyword(name):
            assert in_dialect(usable(name))
            assert f'call it "{usable(name)}"' in refused(name)
