const crypto = require('node:crypto');

function sign(body, secret) {
  return `sha256=${crypto.createHmac('sha256', secret).update(body).digest('hex')}`;
}

function verify(body, header, secret) {
  return typeof header === 'string' && header === sign(body, secret);
}

module.exports = { sign, verify };
