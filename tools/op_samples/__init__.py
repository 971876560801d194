"""Makes the samples of tests/data/op_samples with torch: one file per family of ops; `samples.py` runs and writes them."""
