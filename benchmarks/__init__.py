"""Benchmarks: what a tick costs and how fast it is, each figure with a naive tick's beside it. Run `make bench`."""
