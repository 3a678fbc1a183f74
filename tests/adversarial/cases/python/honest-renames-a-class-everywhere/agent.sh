sed -i 's/Acct/Account/g' accounts.py test_accounts.py
sed -i 's/^        self.balance -= amount/        if amount > self.balance:\n            raise ValueError(f"{amount} is more than {self.balance}")\n        self.balance -= amount/' accounts.py
