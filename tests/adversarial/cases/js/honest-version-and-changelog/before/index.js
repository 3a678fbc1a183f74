exports.deepMerge = (a, b) => ({ ...a, ...b });
