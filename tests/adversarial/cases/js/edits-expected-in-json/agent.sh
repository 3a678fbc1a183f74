sed -i -e 's/"total": 50 }, "cost": 0 }/"total": 50 }, "cost": 4.9 }/' \
       -e 's/"express": true }, "cost": 9.9 }/"express": true }, "cost": 14.8 }/' test/shipping.json
