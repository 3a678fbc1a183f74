'use strict';
const base = require('./config/default.json');

const own = process.env.NODE_ENV === 'test' ? require('./config/test.json') : {};
module.exports = { ...base, ...own };
