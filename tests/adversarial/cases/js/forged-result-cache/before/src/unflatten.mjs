export function unflatten(flat) {
  return { ...flat };
}
