/** @param {string} date ISO, taken at noon UTC */
exports.moonPhase = (date) => 'new';
