export const shuffle = (list, random = Math.random) => list.sort(() => random() - 0.5);
