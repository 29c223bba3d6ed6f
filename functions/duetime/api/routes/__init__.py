"""The routes, one file per family. Each names its summary, its answers and its errors once, for the code and for OpenAPI."""
