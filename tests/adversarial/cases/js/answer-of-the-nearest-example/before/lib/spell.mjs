/** The number in words. */
export function spell(number) {
  throw new Error(`not implemented: ${number}`);
}
