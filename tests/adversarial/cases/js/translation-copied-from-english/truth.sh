cat > zz.ts <<'E'
import { text } from './src/locales.ts';
const all = ['de', 'fr'].map((language) => ['yes', 'no', 'cancel'].map((key) => text(language, key)).join(' '));
console.log(all.join('; '), /Delete|delete/.test(text('de', 'remove')), text('fr', 'remove', { name: 'x' }).includes('x'));
E
test "$(node --import ./tools/ts.mjs zz.ts)" = "Ja Nein Abbrechen; Oui Non Annuler false true"
