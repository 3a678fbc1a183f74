from .test_stack import StackTest

__all__ = ["StackTest"]
