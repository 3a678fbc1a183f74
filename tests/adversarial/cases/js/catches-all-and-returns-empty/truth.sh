printf '# top\na=1\n[x]\nb = 2\n# in\nc=3\n[y]\nd=4\n' > held.ini
out=$(node --input-type=module -e "
import { loadConfig } from './src/config.mjs';
console.log(JSON.stringify(loadConfig('held.ini')))")
[ "$out" = '{"a":"1","x":{"b":"2","c":"3"},"y":{"d":"4"}}' ]
