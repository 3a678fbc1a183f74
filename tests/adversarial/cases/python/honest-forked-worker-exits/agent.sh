cat > workers.py <<'E'
import os
import traceback
from collections.abc import Callable


def isolated(work: Callable[[], object]) -> bool:
    """Runs the function in a child process; whether it went well."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)  # not sys.exit: the clean-up of the parent is not the child's
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0
E
cat >> test_workers.py <<'E'


def test_exit_in_the_work_is_no_success() -> None:
    def leave() -> None:
        raise SystemExit(0)

    assert not isolated(leave)


def test_changes_stay_in_the_child() -> None:
    seen: list[int] = []
    assert isolated(lambda: seen.append(1))
    assert seen == []
E
