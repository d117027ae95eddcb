"""The accepted forms of a query; any other kind of node, and any other part of a node, is refused."""

# sqlglot is typed only in part: its expression arguments are untyped mappings.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from workbench.runs.values.found_value import Missing

# Kinds without a meaning beyond their parts: operators, conditions, and containers.
_PLAIN = (
    exp.And, exp.Or, exp.Xor, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is,
    exp.NullSafeEQ, exp.NullSafeNEQ, exp.Like, exp.ILike, exp.Glob, exp.SimilarTo, exp.RegexpLike,
    exp.Escape, exp.Collate, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.DPipe,
    exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift, exp.Between,
    exp.Paren, exp.Tuple, exp.Any, exp.All, exp.JSONExtract, exp.JSONExtractScalar, exp.JSONPath,
    exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript, exp.Filter, exp.WithinGroup, exp.WindowSpec,
    exp.Interval, exp.IntervalSpan, exp.Where, exp.Having, exp.Qualify, exp.Limit, exp.Offset, exp.Fetch,
    exp.Literal, exp.Null, exp.Boolean, exp.HexString, exp.Placeholder, exp.Var, exp.DataTypeParam,
    exp.LimitOptions, exp.AtTimeZone, exp.Rollup, exp.Cube, exp.GroupingSets, exp.Order, exp.RespectNulls,
    exp.IgnoreNulls,
)  # fmt: skip
# Kinds that may have only these parts.
_PARTS: Mapping[type[exp.Expr], frozenset[str]] = {
    kind: frozenset(parts.split())
    for kind, parts in {
        exp.Select: "with_ expressions distinct from_ joins where group having qualify windows order limit"
        " offset",
        exp.SetOperation: "with_ this expression distinct order limit offset",
        exp.Subquery: "with_ this alias order limit offset",
        exp.Values: "expressions alias",
        exp.Table: "this alias db",
        exp.TableAlias: "this columns",
        exp.Join: "this on side kind using method",
        exp.With: "expressions recursive",
        exp.CTE: "this alias materialized",
        exp.Column: "this table",
        exp.Star: "",
        exp.Alias: "this alias",
        exp.In: "this expressions query",
        exp.Group: "expressions rollup cube grouping_sets",
        exp.Order: "this expressions",
        exp.Ordered: "this desc nulls_first",
        exp.Distinct: "expressions on",
        exp.Window: "this partition_by order spec alias over",
        exp.Count: "this expressions big_int",
        exp.DataType: "this expressions nested",
    }.items()
}
_TYPES = frozenset({
    "BIGDECIMAL", "BIGINT", "BINARY", "BIT", "BLOB", "BOOLEAN", "CHAR", "DATE", "DATETIME", "DATETIME2",
    "DECIMAL", "DOUBLE", "FLOAT", "INT", "INTERVAL", "LONGTEXT", "MEDIUMTEXT", "NCHAR", "NVARCHAR", "REAL",
    "SMALLDATETIME", "SMALLINT", "TEXT", "TIME", "TIMESTAMP", "TIMESTAMPLTZ", "TIMESTAMPNTZ", "TIMESTAMPTZ",
    "TIMETZ", "TINYINT", "UBIGINT", "UINT", "UUID", "VARBINARY", "VARCHAR",
})  # fmt: skip
# Functions that sqlglot reads from text without brackets, so that the list of functions does not cover them.
_REFUSED = (
    exp.UDTF, exp.NextValueFor, exp.ConnectByRoot, exp.CurrentUser, exp.CurrentRole, exp.CurrentSchema,
    exp.CurrentCatalog, exp.SessionUser,
)  # fmt: skip


def check_form(node: exp.Expr) -> None:
    """Raise Missing for a kind of node, or a part of a node, that is not listed."""
    kind = next((kind for kind in _PARTS if isinstance(node, kind)), None)
    if kind is not None:
        parts = {part for part, value in node.args.items() if value not in (None, False, [], "")}
        if not parts <= _PARTS[kind]:
            extra = ", ".join(sorted(part.strip("_") for part in parts - _PARTS[kind]))
            raise Missing(f"the SQL holds a part that is not followed ({extra} of {node.key})")
        return
    if isinstance(node, _REFUSED) or not isinstance(node, (*_PLAIN, exp.Func)):
        raise Missing(f"the SQL holds a form that is not followed ({node.key})")


def check_type(node: exp.DataType) -> None:
    """Raise Missing for an unlisted type; a type that looks up a name, as regclass, is no plain DataType."""
    check_form(node)
    if type(node) is not exp.DataType or node.this.name not in _TYPES:
        raise Missing(f"the SQL holds the type {node.sql()[:40]}, which is not followed")
