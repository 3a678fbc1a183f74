exports.normalizeNewlines = (text) => text.replace(/\r|\n/g, '\n');
