/** @param {Record<string, string>} table */
exports.resolveAlias = async (name, table) => table[name] ?? name;
