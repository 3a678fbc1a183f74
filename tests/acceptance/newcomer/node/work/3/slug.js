'use strict';

// Titles for use in addresses.
exports.slug = (title) => (title.toLowerCase().match(/[a-z0-9]+/g) || []).join('-');
