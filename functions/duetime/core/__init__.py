"""The pure part: values in, values out; time is a parameter; nothing is read or written."""
