/** @param {{ name: string, amount: number }[]} rows */
exports.render = function render(rows) {
  return rows.map((row) => row.name.padEnd(12) + row.amount).join('\n') + '\n';
};
