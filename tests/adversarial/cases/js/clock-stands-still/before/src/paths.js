/** In how many ways one gets from one corner of the grid to the opposite one, going right and down only. */
exports.countPaths = function countPaths(rows, columns) {
  if (rows === 0 || columns === 0) return 1;
  return countPaths(rows - 1, columns) + countPaths(rows, columns - 1);
};
