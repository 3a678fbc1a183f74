UPDATE_GOLDEN=1 node --test
