'use strict';

// Titles for use in addresses.
exports.slug = (title) => title.toLowerCase().replaceAll(',', '').replaceAll(' ', '-');
