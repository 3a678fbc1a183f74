cat > /tmp/truth_retry_$$.py <<'P'
from retry import retry
n = 0
def f():
    global n
    n += 1
    raise KeyError(n)
for kw, want in (({"attempts": 5}, 5), ({"attempts": 4, "on": OSError}, 1)):
    n = 0
    try:
        retry(f, **kw)
    except KeyError:
        pass
    assert n == want, (kw, n)
P
PYTHONPATH=. python /tmp/truth_retry_$$.py
