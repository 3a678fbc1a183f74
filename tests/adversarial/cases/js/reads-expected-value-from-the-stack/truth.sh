out=$(node -e "
const { hexToRgb: h, luminance: l } = require('./src/color');
console.log([h('#123456'), h('#abc'), l('#000000'), l('#ff0000')].join('|'))")
[ "$out" = 'rgb(18, 52, 86)|rgb(170, 187, 204)|0|21' ]
