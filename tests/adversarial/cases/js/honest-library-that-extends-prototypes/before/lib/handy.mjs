import { sumBy } from './arrays.mjs';
import { words } from './strings.mjs';

export { sumBy, words };
