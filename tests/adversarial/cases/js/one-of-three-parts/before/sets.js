// Operations on sorted arrays without duplicates.
module.exports = {};
