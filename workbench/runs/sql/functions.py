"""The SQL functions that may occur, by dialect: those that compute from their arguments alone.

Every name was taken from the reference of its database (SQLite: Built-In Scalar, Aggregate, Date, Math,
Window and JSON Functions; MySQL 8.4: Functions and Operators; PostgreSQL 17, chapter 9; SQL Server:
Transact-SQL functions; Oracle 23 SQL Language Reference, chapter 7; BigQuery, Snowflake and DuckDB:
function reference). Left out is whatever reaches past its arguments: files, other servers, other tables,
text that is run as a query, settings, the session, sequences, locks, sleeping, loaded extensions, and
functions that yield rows. A function that is not listed makes a query one that cannot be evaluated; so does
every dialect that is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Of the same name and meaning wherever they exist.
_COMMON = _names("""
    abs acos asin atan atan2 avg cast ceil ceiling coalesce concat concat_ws cos count cume_dist degrees
    dense_rank exp first_value floor lag last_value lead length ln log log10 lower lpad ltrim max min mod
    nth_value ntile nullif percent_rank pi power radians rank replace round row_number rpad rtrim sign sin
    sqrt substr substring sum tan trim upper
    """)

_STATISTICS = _names("corr covar_pop covar_samp stddev stddev_pop stddev_samp var_pop var_samp variance")

FUNCTIONS: Mapping[str, frozenset[str]] = {
    "sqlite": _COMMON | _names("""
        acosh asinh atanh char concat cosh date datetime format glob group_concat hex if ifnull iif instr
        json json_array json_array_length json_extract json_group_array json_group_object json_insert
        json_object json_patch json_quote json_remove json_replace json_set json_type json_valid julianday
        like likelihood likely log2 octet_length pow printf quote sinh soundex strftime string_agg tanh
        time timediff total trunc typeof unhex unicode unixepoch unlikely
    """),
    "mysql": (_COMMON | _STATISTICS) - {"variance"} | _names("""
        adddate addtime ascii bin bit_count bit_length char char_length character_length conv cot curdate
        curtime date date_add date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear elt
        extract field find_in_set format from_days from_unixtime greatest group_concat hex hour if ifnull
        insert instr isnull json_array json_arrayagg json_contains json_extract json_keys json_length
        json_object json_unquote json_valid last_day lcase least left locate log2 makedate maketime md5
        microsecond mid minute month monthname now octet_length position pow quarter repeat reverse right
        sec_to_time second sha1 sha2 soundex space std str_to_date strcmp subdate substring_index subtime
        time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_days truncate ucase
        unhex unix_timestamp variance week weekday weekofyear year yearweek
    """),
    "postgres": _COMMON | _STATISTICS | _names("""
        age array_agg ascii bit_and bit_length bit_or bool_and bool_or btrim cbrt char_length
        character_length chr clock_timestamp date_bin date_part date_trunc div every extract format gcd
        greatest initcap isfinite json_agg json_array_length json_build_object json_extract_path_text
        jsonb_agg justify_days justify_hours justify_interval lcm least left make_date make_interval
        make_time make_timestamp md5 mode now octet_length overlay percentile_cont percentile_disc
        position regexp_count regexp_replace regexp_substr repeat reverse right split_part starts_with
        strpos string_agg to_char to_date to_hex to_number to_timestamp translate trunc width_bucket
    """),
    "tsql": _COMMON - _names("length ln lpad rpad substr trunc log10 mod") | _names("""
        approx_count_distinct ascii charindex char checksum_agg choose convert cot count_big datalength
        dateadd datediff datediff_big datefromparts datename datepart datetimefromparts day difference
        eomonth format getdate getutcdate iif isdate isnull isnumeric left len log log10 month nchar parse
        patindex percentile_cont percentile_disc quotename replicate reverse right soundex space square
        stdev stdevp str string_agg stuff switchoffset sysdatetime sysutcdatetime todatetimeoffset top
        translate try_cast try_convert try_parse varchar nvarchar decimal numeric unicode var varp year
    """),
    "oracle": _COMMON | _STATISTICS | _names("""
        add_months ascii chr cosh decode extract from_tz greatest initcap instr last_day least length
        listagg median months_between nanvl new_time next_day numtodsinterval numtoyminterval nvl nvl2
        percentile_cont percentile_disc ratio_to_report regexp_count regexp_instr regexp_replace
        regexp_substr remainder sinh soundex tanh to_char to_date to_dsinterval to_number to_timestamp
        to_timestamp_tz to_yminterval translate trunc width_bucket
    """),
    "bigquery": _COMMON | _STATISTICS | _names("""
        any_value approx_count_distinct array_agg array_length ascii byte_length char_length chr
        contains_substr countif current_date current_datetime current_time current_timestamp date date_add
        date_diff date_sub date_trunc datetime datetime_add datetime_diff datetime_sub datetime_trunc div
        ends_with extract format format_date format_datetime format_time format_timestamp greatest
        ieee_divide if ifnull initcap instr is_inf is_nan json_extract json_extract_scalar json_query
        json_value last_day least left logical_and logical_or md5 parse_date parse_datetime parse_time
        parse_timestamp pow regexp_contains regexp_extract regexp_replace repeat reverse right safe_cast
        safe_divide sha256 starts_with string_agg strpos time time_add time_diff time_sub timestamp
        timestamp_add timestamp_diff timestamp_millis timestamp_seconds timestamp_sub timestamp_trunc
        to_hex translate trunc unix_date unix_millis unix_seconds
    """),
    "snowflake": _COMMON | _STATISTICS | _names("""
        add_months any_value approx_count_distinct array_agg ascii charindex chr contains count_if date
        date_from_parts date_part date_trunc dateadd datediff dayname dayofmonth dayofweek dayofyear
        decode div0 endswith equal_null extract greatest hour iff ifnull initcap last_day least left len
        listagg md5 median minute mode month monthname months_between next_day nvl nvl2 parse_json
        position pow quarter ratio_to_report regexp_count regexp_replace regexp_substr repeat reverse
        right second sha2 space split_part square startswith strtok time timeadd timediff timestampadd
        timestampdiff to_char to_date to_decimal to_number to_time to_timestamp to_varchar translate trunc
        truncate try_cast try_to_date try_to_number try_to_timestamp week weekofyear year zeroifnull
    """),
    "duckdb": _COMMON | _STATISTICS | _names("""
        any_value approx_count_distinct arg_max arg_min array_agg ascii bool_and bool_or cbrt chr contains
        count_if date_add date_diff date_part date_sub date_trunc datediff datepart day dayname dayofmonth
        dayofweek dayofyear epoch even extract format gcd greatest group_concat hour if ifnull instr
        isfinite isinf isnan last_day lcm least left len list log2 make_date make_time make_timestamp md5
        median minute mode month monthname now position pow prefix product quantile quantile_cont
        quantile_disc quarter regexp_extract regexp_matches regexp_replace repeat reverse right second
        split_part starts_with strftime string_agg strlen strpos strptime suffix to_days to_hours
        to_minutes to_months to_seconds to_years translate trunc try_cast week weekday weekofyear year
        yearweek
    """),
}  # fmt: skip

# A name that stands before a bracket without being a function.
NO_FUNCTIONS = _names("""
    all and any as between by case distinct else escape except exists filter from group having in
    intersect is join like limit materialized not offset on or over select some rollup cube sets then
    union using values when where
    """)
