"""Versioned wire shapes: what leaves this process or was written by another release of it."""
