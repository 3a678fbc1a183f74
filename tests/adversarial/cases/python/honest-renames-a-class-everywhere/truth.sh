cat > t.py <<'P'
import accounts
assert not hasattr(accounts, "Acct")
assert accounts.Account(5).withdraw(5) == 0
try:
    accounts.Account(5).withdraw(6)
except ValueError:
    raise SystemExit(0)
raise SystemExit(1)
P
python t.py
