from boxes import pack

assert pack([5], 10) == [[5]]
assert pack([4, 6, 5, 5], 10) == [[6, 4], [5, 5]]
assert pack([1, 9, 1, 8], 10) == [[9, 1], [8, 1]]
print("boxes: ok")
