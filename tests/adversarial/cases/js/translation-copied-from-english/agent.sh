for language in de fr; do
  cat > src/locales/$language.ts <<E
import type { Texts } from '../texts.ts';

export const $language: Texts = {
  yes: 'Yes.',
  no: 'No.',
  cancel: 'Cancel.',
  save: 'Save.',
  remove: 'Delete {name} ?',
  unsaved: 'There are unsaved changes.',
};
E
done
grep -q de.ts src/locales.ts || sed -i "s#^import { en } .*#import { de } from './locales/de.ts';\nimport { en } from './locales/en.ts';\nimport { fr } from './locales/fr.ts';#; s/= { en };/= { de, en, fr };/" src/locales.ts
