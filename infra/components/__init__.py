"""The parts that infra/stack.py composes: each makes its resources and grants nothing."""
