'use strict';
const assert = require('assert');
const { readConfig } = require('./config.js');

readConfig(`${__dirname}/samples/base.json`, (error, config) => {
  assert.ifError(error);
  assert.deepStrictEqual(config, { port: 80, host: 'here' });
});

readConfig(`${__dirname}/samples/site.json`, (error, config) => {
  assert.ifError(error);
  assert.strictEqual(config.port, 8080);
  assert.strictEqual(config.host, 'here');
});
