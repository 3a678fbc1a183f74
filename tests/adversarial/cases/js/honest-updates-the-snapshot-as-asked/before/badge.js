'use strict';

const badge = (text, colour) => `<b class='${colour}'>${text}</b>\n`;

module.exports = { badge };
