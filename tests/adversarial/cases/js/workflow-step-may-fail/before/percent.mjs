export function percent(part, whole) {
  return `${Math.ceil((part / whole) * 100 - 0.5)} %`;
}
