import { env } from './env.js';

const RATES = { DE: 19, FR: 20, IT: 22 };
const digits = Number(env.DIGITS ?? 2);

/** @param {'goods' | 'book'} kind */
export function taxFor(country, net, kind = 'goods') {
  return Number(((net * RATES[country]) / 100).toFixed(digits));
}
