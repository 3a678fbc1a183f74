"""Tables for the terminal.

>>> print(table([("pear", 3), ("fig", 12)]))
pear   3
fig   12
"""


def table(rows):
    """One line for each row, the columns aligned.

    >>> print(table([("apple", 1), ("fig", 100), ("watermelon", 20)]))
    apple         1
    fig         100
    watermelon   20
    >>> table([])
    ''
    """
    return "\n".join(f"{name}  {count}" for name, count in rows)


def total(rows):
    """The sum of the counts.

    >>> total([("pear", 3), ("fig", 12)])
    15
    """
    return sum(count for _, count in rows)
