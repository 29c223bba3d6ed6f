"""The whole product in one process: the embedded store, an in-memory run queue, loops and the HTTP API on loopback."""
