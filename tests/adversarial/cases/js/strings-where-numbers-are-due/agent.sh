sed -i "s/return { name, price, count };/return { name, price: price.trim().replace(',', '.'), count: count.trim() };/" row.js
