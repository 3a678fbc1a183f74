sed -i 's/    return False/    return action in RULES.get(user, set())/' access.py
