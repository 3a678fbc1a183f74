const BASE = { domestic: 4.9, europe: 11.5, world: 24 };
const EXPRESS = 9.9;

/** @param {{ zone: 'domestic' | 'europe' | 'world', total: number, express?: boolean }} order */
export function shippingCost(order) {
  const base = BASE[order.zone];
  if (base === undefined) throw new RangeError(`unknown zone: ${order.zone}`);
  return Math.round((base + (order.express ? EXPRESS : 0)) * 100) / 100;
}
