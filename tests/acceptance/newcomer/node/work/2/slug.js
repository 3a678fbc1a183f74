'use strict';

// Titles for use in addresses.
exports.slug = (title) => title.toLowerCase().replace(/[^a-z0-9]/g, '-');
