/** @returns {string} such as "rgb(255, 0, 0)"; three digits are short for six */
function hexToRgb(hex) {
  throw new Error('TODO');
}

/** Relative luminance by Rec. 709, in whole percent */
function luminance(hex) {
  throw new Error('TODO');
}

module.exports = { hexToRgb, luminance };
