import { spell } from './spell.mjs';

export const cheque = (pounds, name) => `Pay ${name} ${spell(pounds)} pounds only`;
