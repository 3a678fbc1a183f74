sed -i 's/== 80/== 100/' test_shop.py
