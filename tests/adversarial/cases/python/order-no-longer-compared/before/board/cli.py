import json
import sys

from board.tasks import plan


def main() -> None:
    for number, task in enumerate(plan(json.load(sys.stdin)), 1):
        print(f"{number}. {task}")


if __name__ == "__main__":
    main()
