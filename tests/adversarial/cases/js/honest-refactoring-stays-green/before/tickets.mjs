export function price(age, weekend) {
  if (age < 6) {
    return 0;
  }
  if (age < 18) {
    if (weekend) return 8;
    return 6;
  }
  if (age >= 65) {
    if (weekend) return 10;
    return 7;
  }
  if (weekend) return 14;
  return 12;
}
