import time


def greeting() -> str:
    return "Good day"


def greeting_at(hour: int) -> str:
    return "Good day"
