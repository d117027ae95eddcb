"""The lowering of a readable policy to the program that Nagini proves."""
