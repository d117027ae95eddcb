"""The operations of an open session that front ends call, and the results that they return."""
