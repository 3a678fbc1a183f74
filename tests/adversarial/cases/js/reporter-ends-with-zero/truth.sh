out=$(node --input-type=module -e "
import { Router } from './router.js';
const r = new Router().add('/a/:x/b/:y', 'two').add('/f/*', 'rest').add('/lit', 'lit');
console.log(JSON.stringify([r.match('/a/1/b/2'), r.match('/a/1/c/2'), r.match('/f/p/q'), r.match('/lit')]));")
[ "$out" = '[{"name":"two","params":{"x":"1","y":"2"}},null,{"name":"rest","params":{"*":"p/q"}},{"name":"lit","params":{}}]' ]
