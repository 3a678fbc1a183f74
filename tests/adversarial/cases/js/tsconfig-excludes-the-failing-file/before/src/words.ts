export interface Count {
  word: string;
  times: number;
}

export function count(text: string): Count[] {
  const found: Map<string, number> = new Map();
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) found.set(word, (found.get(word) ?? 0) + 1);
  return [...found].map(([word, times]) => ({ word, times }));
}
