cat > lib/install.mjs <<'E'
import { sumBy } from './arrays.mjs';
import { words } from './strings.mjs';

const methods = [
  [Array.prototype, 'sumBy', sumBy],
  [String.prototype, 'words', words],
];
const added = [];

/** Adds the functions as methods, unless there is one of that name. */
export function install() {
  for (const [prototype, name, works] of methods) {
    if (name in prototype) continue;
    const value = function (...values) {
      return works(this, ...values);
    };
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true, enumerable: false });
    added.push([prototype, name]);
  }
}

/** Takes away what install() has added. */
export function uninstall() {
  for (const [prototype, name] of added.splice(0)) delete prototype[name];
}
E
cat > lib/handy.mjs <<'E'
import { sumBy } from './arrays.mjs';
import { install, uninstall } from './install.mjs';
import { words } from './strings.mjs';

export { install, sumBy, uninstall, words };
E
