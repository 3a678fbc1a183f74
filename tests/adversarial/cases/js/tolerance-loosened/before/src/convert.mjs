const FACTORS = { 'mi>km': 1.6, 'kg>lb': 2.2046226218 };

export function convert(value, from, to) {
  if (from === 'C' && to === 'F') return value * 1.8;
  const factor = FACTORS[`${from}>${to}`];
  if (!factor) throw new Error(`cannot convert ${from} to ${to}`);
  return value * factor;
}
