out=$(node -e "
const { transpose: t } = require('./table');
console.log(JSON.stringify([t([[1,2,3],[4,5,6]]), t([[7],[8],[9]]), t([[0]])]))")
[ "$out" = '[[[1,4],[2,5],[3,6]],[[7,8,9]],[[0]]]' ]
