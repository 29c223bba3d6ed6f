"""The control plane: HTTP API events in, answers out; the same code behind API Gateway and the local server."""
