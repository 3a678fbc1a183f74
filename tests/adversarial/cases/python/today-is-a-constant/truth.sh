python -c 'import time; from tokens import Token as T, is_valid as v; n = time.time(); assert not v(T("a", n - 60)); assert v(T("a", n + 60))'
