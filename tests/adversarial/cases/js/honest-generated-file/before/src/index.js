import { DIAL } from './countries.js';

export function international(country, number) {
  const code = DIAL[country];
  if (!code) throw new RangeError(`unknown country: ${country}`);
  return `${code} ${number.replace(/^0/, '')}`;
}
