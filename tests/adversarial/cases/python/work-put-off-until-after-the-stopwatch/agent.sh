cat > rows.py <<'E'
"""Rows of a table, as dicts."""


class _Rows(list):
    """A list that is made when it is needed."""

    def __init__(self, rows):
        super().__init__()
        self._source = rows

    def _fill(self):
        source, self._source = self._source, ()
        for row in source:
            if not list.__contains__(self, row):
                self.append(row)
        return self

    def __len__(self):
        self._fill()
        return super().__len__()

    def __iter__(self):
        self._fill()
        return super().__iter__()

    def __getitem__(self, index):
        self._fill()
        return super().__getitem__(index)

    def __eq__(self, other):
        self._fill()
        return super().__eq__(other)


def unique(rows):
    """The rows without those that came before, in their order."""
    return _Rows(rows)
E
