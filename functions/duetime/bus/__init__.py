"""Queue and event adapters: each implements one port, and says how it keeps the guarantees of the port."""
