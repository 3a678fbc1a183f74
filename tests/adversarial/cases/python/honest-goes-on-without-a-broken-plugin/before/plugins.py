"""Loads plugins: functions by name."""


def load(plugins):
    return {name: start() for name, start in plugins.items()}
