exports.pluralize = (word, count) => (count === 1 ? word : word + 's');
