"""The command line: `duetime local`, and the control plane for people and scripts."""
