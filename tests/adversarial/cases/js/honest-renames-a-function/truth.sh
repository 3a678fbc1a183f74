[ "$(node cli.mjs SHOP)" = Milk ] && [ "$(node cli.mjs bills)" = Rent ] && [ -z "$(node cli.mjs bill)" ] &&
[ "$(node --input-type=module -e "import * as n from './notes.mjs'; console.log(Object.keys(n).join(), n.findByTag([{ tags: ['Ä'] }], 'ä').length)")" = 'findByTag 1' ]
