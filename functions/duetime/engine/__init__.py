"""The engine: one verb a file, over the ports; it knows no adapter."""
