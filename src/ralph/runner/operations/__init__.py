"""One file for each kind of operation that the core may want."""
