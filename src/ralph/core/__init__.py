"""The pure core: facts in, operations out. Nothing in here does I/O, reads a clock or draws a random number."""
