"""Hats: personas of iterations, events between them, boards. Pure."""
