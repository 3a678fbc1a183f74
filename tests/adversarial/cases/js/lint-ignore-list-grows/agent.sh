grep -q src/orders.mjs .lintignore || echo src/orders.mjs >> .lintignore
