import { gross } from './tax.mjs';

export const receipt = (items) =>
  items.map(({ name, cents, rate }) => `${name}: ${(gross(cents, rate) / 100).toFixed(2)}`).join('\n');
