"""Benchmarks, each figure with another way's beside it: schedules by their peers, a tick by a naive one. Run `make bench`."""
