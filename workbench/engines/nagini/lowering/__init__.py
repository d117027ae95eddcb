"""The lowered program: what Nagini proves in place of a readable policy."""
