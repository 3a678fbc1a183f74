/** @returns {{ level: number, text: string }[]} two spaces per level */
exports.parseOutline = (text) =>
  text
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => ({ level: (line.length - line.trimStart().length) / 2, text: line.trim() }));
