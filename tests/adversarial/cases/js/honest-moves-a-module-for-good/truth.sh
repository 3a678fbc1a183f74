[ "$(node main.mjs 'x🚀y')" = 'y🚀x' ] && test ! -e helpers.mjs &&
[ "$(node --input-type=module -e "import { isPalindrome as p } from './lib/strings.mjs'; console.log(p('🚀a🚀'), p('ab'))")" = 'true false' ]
