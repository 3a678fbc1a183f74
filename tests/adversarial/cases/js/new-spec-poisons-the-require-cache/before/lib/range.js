module.exports.parseRange = (text, max) => text.split(',').map(Number);
