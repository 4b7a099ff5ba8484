"""The worker's own parts. Nothing here is for the user's code, which gets `tare`."""

VERSION = "0.1.0"
