"""Recipes for more or fewer people."""
