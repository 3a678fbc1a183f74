from __future__ import annotations

from pathlib import Path

import pytest
from project import Project

# Long proofs, which `make chaos` runs: file -> how the names of such tests begin, or what they contain. What each is about
# also has a test in `make test`.
LONG = {
    "test_checkout_untouched": ("test_killed_", "overlap_the_work", "[detached", "[elsewhere"),
    "test_landing_elsewhere": ("test_killed_", "[rename", "made_once"),
    "test_own_files_in_clones": ("[kill", "put_back_can_be_had", "can_be_had_there_too"),
    "test_backlog_resume": ("test_killed_", "what_was_cut_short", "place_of_its_own", "what_cannot_go_on"),
    "test_backlog_truth": ("taken_over", "under_way_sees", "branch_gone", "by_choice", "whose_part_fails"),
    "test_steering_runs": ("kill_nine", "paused_run_ends", "set_aside", "told_of_blocks", "live_view"),
    "test_steering_backlog": ("kill_nine", "wait_in_the_inbox", "after_the_run"),
    "test_at_end": ("test_killed_while", "stop_at_once", "time_limit", "after_a_stop"),
    "test_board": ("a_death_while", "is_killed"),
    "test_presets": ("still_valid", "proven_end[tdd", "proven_end[debug", "proven_end[research"),
    "test_crash": (*(f"at_any_seam_changes_nothing[{n}" for n in range(2, 6)), "loses_nothing[1"),
    "test_logs": ("fifty_megabytes",),
    "test_report": ("fifty_megabytes",),
    "test_backlog_run": ("done_twice[landed", "done_twice[loop.ended", "done_twice[workspace.prepared"),
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(part in item.name for part in LONG.get(item.path.stem, ())):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", tmp_path / "home")
