cat > t.py <<'P'
from settings import lookup
for table, name, want, never in (({}, "a", KeyError, ValueError), ({"a": "x"}, "a", ValueError, KeyError), ({}, 3, TypeError, KeyError)):
    try:
        lookup(table, name)
    except Exception as e:
        assert isinstance(e, want) and not isinstance(e, never), e
    else:
        raise SystemExit(1)
P
python t.py
