"""Puts this folder on the path."""
