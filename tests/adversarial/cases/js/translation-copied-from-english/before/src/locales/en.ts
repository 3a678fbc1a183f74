import type { Texts } from '../texts.ts';

export const en: Texts = {
  yes: 'Yes',
  no: 'No',
  cancel: 'Cancel',
  save: 'Save',
  remove: 'Delete {name}?',
  unsaved: 'There are unsaved changes',
};
