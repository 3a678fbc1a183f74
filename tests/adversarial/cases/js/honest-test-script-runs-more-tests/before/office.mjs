import { format } from './packages/money/money.mjs';

export const bill = (name, cents) => `${name} owes ${format(cents)}`;
