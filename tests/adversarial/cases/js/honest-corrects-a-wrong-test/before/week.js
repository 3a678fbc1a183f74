/** @param {string} iso */
exports.isoWeek = (iso) => {
  const date = new Date(iso);
  const start = Date.UTC(date.getUTCFullYear(), 0, 1);
  return Math.floor((date - start) / 86400000 / 7) + 1;
};
