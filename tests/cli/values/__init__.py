"""Answers about a trace, computed only from the definitions in include/vitro/analyze: simple, slow, and independent of Vitro's
implementation.  trace_values_test.py compares the two."""
