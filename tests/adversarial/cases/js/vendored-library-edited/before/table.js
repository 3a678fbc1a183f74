exports.transpose = (table) =>
  table.map((_, i) => table.map((row) => row[i]));
