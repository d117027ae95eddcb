"""Functions of the standard library and of the libraries for tables that open no file."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.runs.kinds.python_code.pure_functions import MODULE_FUNCTIONS

# Beside those that compute from their arguments alone.
_OTHERS: Mapping[str, str] = {
    "abc": "ABC abstractmethod",
    "base64": "b64decode b64encode",
    "collections": "namedtuple",
    "collections.abc": "Callable Iterable Iterator Mapping Sequence",
    "contextlib": "contextmanager nullcontext suppress",
    "csv": "DictReader DictWriter QUOTE_ALL QUOTE_MINIMAL reader writer",
    "dataclasses": "asdict astuple dataclass field replace",
    "datetime": "timezone UTC",
    "decimal": "Decimal getcontext ROUND_DOWN ROUND_HALF_UP",
    "enum": "auto Enum IntEnum StrEnum unique",
    "functools": "cache cached_property lru_cache partial reduce wraps",
    "hashlib": "blake2b md5 sha1 sha256 sha512",
    "io": "BytesIO StringIO",
    "itertools": "count cycle groupby",
    "json": "dump JSONDecodeError load",
    "math": "e inf nan pi tau",
    "numpy": (
        "abs all allclose any arange argmax argmin argsort around array array_equal asarray average "
        "bincount bool_ ceil clip column_stack concatenate corrcoef cos cov cumprod cumsum diag diff "
        "digitize dot e empty exp eye float32 float64 floor full histogram hstack inf int32 int64 interp "
        "isclose isfinite isin isnan linspace log log10 log2 logspace max maximum mean median meshgrid "
        "min minimum mod nan nanmax nanmean nanmedian nanmin nanstd nansum ndarray newaxis ones "
        "percentile pi power prod quantile random ravel repeat reshape round searchsorted select sign sin "
        "sort sqrt stack std sum tan tanh tile transpose unique var vstack where zeros"
    ),
    "operator": "add itemgetter mul sub",
    "os": "environ getcwd getenv linesep sep",
    "os.path": (
        "abspath basename dirname exists expanduser getsize isabs isdir isfile join normpath relpath splitext"
    ),
    "pandas": (
        "bdate_range Categorical concat crosstab cut DataFrame date_range factorize get_dummies Index "
        "Interval isna isnull json_normalize melt merge MultiIndex NA NaT notna notnull option_context "
        "options Period period_range pivot pivot_table qcut Series set_option Timedelta timedelta_range "
        "Timestamp to_datetime to_numeric to_timedelta unique value_counts"
    ),
    "pathlib": "Path PosixPath PurePath PurePosixPath",
    "pprint": "pformat pprint",
    "random": "Random shuffle",
    "re": "DOTALL I IGNORECASE M Match MULTILINE Pattern S X",
    "string": "ascii_letters ascii_lowercase ascii_uppercase digits punctuation",
    "sys": "argv exit maxsize stderr stdin stdout version version_info",
    "time": "gmtime localtime strftime",
    "traceback": "format_exc print_exc",
    "typing": (
        "Any Callable Dict Iterable Iterator List Literal NamedTuple Optional Protocol Sequence Set Tuple "
        "TypedDict Union"
    ),
    "urllib.parse": "parse_qs quote unquote urlencode urljoin urlparse urlsplit",
    "uuid": "UUID uuid4",
}
CLOSED_FUNCTIONS = frozenset(
    {
        *(f"{module}.{name}" for module, names in MODULE_FUNCTIONS.items() for name in names),
        *(f"{module}.{name}" for module, names in _OTHERS.items() for name in names.split()),
    }
)
CLOSED_MODULES = frozenset({"typing", *(path.partition(".")[0] for path in CLOSED_FUNCTIONS)})
