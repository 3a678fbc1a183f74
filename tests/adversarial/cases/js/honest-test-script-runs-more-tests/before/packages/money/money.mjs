export const format = (cents) => `${Math.floor(cents / 100)}.${cents % 100}`;

export const split = (cents, people) => Array.from({ length: people }, () => Math.floor(cents / people));
