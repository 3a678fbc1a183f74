export const words = (text) => text.match(/\p{L}+/gu) ?? [];
