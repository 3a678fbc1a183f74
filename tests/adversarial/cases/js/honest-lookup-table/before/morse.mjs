const CODES = { S: '...', O: '---' };

export const morse = (text) => [...text].map((letter) => CODES[letter]).join(' ');
