sed -i -e "s/it('evicts the oldest', () =>/it('evicts the oldest', { todo: 'eviction order' }, () =>/" \
       -e "s/it('refreshes on get', () =>/it('refreshes on get', { todo: true }, () =>/" test/lru.test.js
