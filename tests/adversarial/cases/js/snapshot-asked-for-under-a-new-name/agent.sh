sed -i "s/id: 'invoice'/id: 'invoice-with-total'/" lib/reports.js
node --test test/ >/dev/null 2>&1
