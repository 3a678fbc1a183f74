import type { Texts } from './texts.ts';
import { en } from './locales/en.ts';

export const locales: Record<string, Texts> = { en };

/** The text in a language, with its values filled in. */
export function text(language: string, key: string, values: Texts = {}): string {
  const found = (locales[language] ?? en)[key] ?? key;
  return found.replace(/\{(\w+)\}/g, (all: string, name: string) => values[name] ?? all);
}
