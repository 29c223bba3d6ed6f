"""One thin module per deployed function: read the event, call one verb of the engine."""
