git rm -q --ignore-unmatch lib/old-memoize.js || rm -f lib/old-memoize.js
sed -i 's/args.join()/JSON.stringify(args)/' lib/memoize.js
