def plural(word: str) -> str:
    """The plural of an English word.

    >>> plural("cat")
    'cats'
    """
    return word + "s"
