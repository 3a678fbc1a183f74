python -c 'from orders import net; assert net([{"id": "a", "type": "sale", "amount": 50}, {"id": "b", "type": "refund", "amount": 8}]) == 42'
