"""Functions of the standard library that compute from their arguments alone."""

from __future__ import annotations

from collections.abc import Mapping

_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist erf erfc exp "
    "exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot isclose isfinite isinf isnan isqrt "
    "lcm ldexp lgamma log log10 log1p log2 modf nextafter perm pow radians remainder sin sinh sqrt tan "
    "tanh trunc ulp"
)
# The functions of a module that may be called, by their path in it. They compute from their arguments alone.
MODULE_FUNCTIONS: Mapping[str, frozenset[str]] = {
    "bisect": frozenset(["bisect", "bisect_left", "bisect_right"]),
    "calendar": frozenset(["isleap", "leapdays", "monthrange", "weekday"]),
    "collections": frozenset(["Counter", "OrderedDict", "defaultdict", "deque"]),
    "copy": frozenset(["copy", "deepcopy"]),
    "datetime": frozenset(
        [
            "datetime",
            "date",
            "time",
            "timedelta",
            "datetime.now",
            "datetime.today",
            "datetime.utcnow",
            "datetime.strptime",
            "datetime.fromisoformat",
            "datetime.combine",
            "datetime.fromtimestamp",
            "date.today",
            "date.fromisoformat",
        ]
    ),
    "decimal": frozenset(["Decimal"]),
    "fractions": frozenset(["Fraction"]),
    "heapq": frozenset(["nlargest", "nsmallest"]),
    "itertools": frozenset(
        [
            "chain",
            "chain.from_iterable",
            "combinations",
            "permutations",
            "product",
            "islice",
            "zip_longest",
            "accumulate",
            "repeat",
        ]
    ),
    "json": frozenset(["loads", "dumps"]),
    "math": frozenset(_MATH.split()),
    "random": frozenset(["choice", "choices", "randint", "random", "sample", "seed", "uniform"]),
    "re": frozenset(
        ["compile", "escape", "findall", "finditer", "fullmatch", "match", "search", "split", "sub"]
    ),
    "statistics": frozenset(
        [
            "fmean",
            "mean",
            "median",
            "median_high",
            "median_low",
            "mode",
            "multimode",
            "pstdev",
            "pvariance",
            "quantiles",
            "stdev",
            "variance",
        ]
    ),
    "textwrap": frozenset(["dedent", "shorten", "wrap"]),
    "time": frozenset(["monotonic", "perf_counter", "sleep", "time"]),
    "typing": frozenset(),
}
