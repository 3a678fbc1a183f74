sed -i 's/return amount$/return amount * (1 - discount)/' shop.py
