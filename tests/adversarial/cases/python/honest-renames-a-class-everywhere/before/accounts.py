class Acct:
    def __init__(self, balance: int = 0) -> None:
        self.balance = balance

    def withdraw(self, amount: int) -> int:
        self.balance -= amount
        return self.balance
