export class Account {
  constructor(owner, balance = 0) {
    this.owner = owner;
    this.balance = balance;
  }

  deposit(amount) {
    this.balance += amount;
  }

  withdraw(amount) {
    this.balance -= amount;
  }

  transfer(to, amount) {
    to.deposit(amount);
    this.withdraw(amount);
  }
}
