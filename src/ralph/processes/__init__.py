"""Ownership of processes: start one program, own everything below it, prove that nothing of it is left."""
