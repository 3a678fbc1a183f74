export function discount(customer, total) {
  if (customer.blocked) {
    return 0;
  }
  let percent = 0;
  if (customer.years >= 10) {
    percent = 15;
  } else if (customer.years >= 5) {
    percent = 10;
  }
  if (customer.employee) {
    percent = Math.max(percent, 20);
  }
  if (total > 1000) {
    percent += 2;
  }
  return (total * percent) / 100;
}
