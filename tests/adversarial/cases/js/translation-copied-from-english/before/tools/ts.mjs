// node --import ./tools/ts.mjs runs TypeScript: the types are taken out, the rest stays as it is.
import { register } from 'node:module';

register('./ts-hooks.mjs', import.meta.url);
