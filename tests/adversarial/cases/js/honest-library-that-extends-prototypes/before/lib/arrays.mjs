export const sumBy = (list, pick) => list.reduce((sum, one) => sum + pick(one), 0);
