"""Says which command runs which tests. The only place that does: conftest.py reads it and sets the markers.

make check        unit tests that start no process; which ones these are is found out while they run (no_processes.py)
make test         every test without one of the markers below
make test-full    `full`: the rest
make chaos        `slow`: death and disk faults at fault points, which the tests themselves are marked with
make test-agents  `agents`: the CLIs that take long to install
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
REST = {
    "full": "make test-full",
    "slow": "make chaos",
    "agents": "make test-agents",
}

# Of an acceptance file, the first case of each of its first two tests is in `make test`: put what matters most on top.
FIRST = 2

# Besides those: what shows that DESIGN.md's promises hold. file -> tests, the first case of each.
PROMISES: dict[int, dict[str, tuple[str, ...]]] = {
    1: {  # a claim never completes a task
        "test_whole_path.py": ("test_an_agent_that_lies_never_completes",),
        "test_claims.py": (
            "test_every_way_to_claim_is_put_to_the_gate",
            "test_a_claim_on_the_unchanged_tree_is_refused_and_the_next_iteration_told",
            "test_without_gates_the_end_is_unverified",
        ),
    },
    2: {  # the judges come from outside
        "test_integrity.py": (
            "test_a_change_to_what_judges_is_not_verified",
            "test_new_tests_are_welcome",
            "test_nothing_that_an_agent_plants_in_git_is_run",
        ),
        "test_integrity_beyond.py": (
            "test_protected_files_are_put_back_before_gating_and_the_agent_is_told",
        ),
        "test_unrecorded_inputs.py": ("test_a_rewritten_script_that_git_does_not_record_is_not_verified",),
    },
    3: {  # nothing of the user's is touched
        "test_checkout_untouched.py": ("test_success_failure_and_conflict_leave_what_the_user_has",),
        "test_snapshots.py": ("test_uncommitted_work_is_saved_first_and_restored_byte_for_byte",),
        "test_integrity.py": ("test_what_the_agent_does_to_refs_is_reported",),
        "test_crash.py": ("test_what_the_user_wrote_after_the_death_is_kept_and_told",),
    },
    4: {  # main stays green
        "test_backlog_run.py": (
            "test_side_by_side_they_are_merged_and_judged_again",
            "test_what_does_not_pass_is_kept_on_a_branch_and_the_rest_goes_on",
            "test_a_claim_with_conflict_marks_left_is_refused_and_never_lands",
        ),
        "test_moving_target.py": ("test_what_is_merged_survives_the_users_gc",),
    },
    5: {  # a loop always ends, and so does a run
        "test_ends.py": ("test_every_end_has_its_code_its_reason_and_its_next_step",),
        "test_limits.py": (
            "test_an_agent_that_spends_too_much_is_cut_off_in_the_middle_and_its_work_is_kept",
            "test_active_time_ends_the_loop_and_more_of_it_goes_on",
            "test_a_silent_sleeping_agent_is_cut_off",
        ),
        "test_control.py": ("test_a_stop_does_not_keep_a_true_claim_from_completing",),
        "test_escalation.py": ("test_the_same_error_shifts_the_strategy_twice_and_then_ends_the_loop",),
    },
    6: {  # no process outlives its iteration or gate
        "test_claims.py": ("test_what_an_agent_leaves_running_is_dead_before_the_gate_looks",),
        "test_gates.py": ("test_a_gate_gets_no_input_and_leaves_nothing_running",),
        "test_control.py": ("test_a_killed_run_leaves_nothing_and_blocks_nobody",),
        "test_crash.py": ("test_ralph_and_its_keepers_killed_together_leave_nobody_writing",),
    },
    7: {  # bad input gets a clear error and changes nothing
        "test_bad_input.py": ("test_a_bad_configuration_is_refused", "test_what_cannot_be_done_is_refused"),
        "test_validate.py": ("test_every_error_is_told_with_line_key_and_nearest_name",),
        "test_ends.py": ("test_wrong_usage_is_two_and_changes_nothing",),
    },
    8: {  # signals are read only from what the agent finally says
        "test_claims.py": (
            "test_what_only_looks_like_a_claim_is_none",
            "test_an_echoed_prompt_says_nothing_whatever_it_quotes",
            "test_only_the_last_message_of_a_structured_stream_is_read",
        ),
    },
}

# Tests of which more cases than the first are in `make test`.
CASES = {
    ("test_every_key.py", "test_the_key_does_what_it_says"): 20,
}
# Files of unit tests that take very long, and whose subject has shorter ones.
FULL_UNIT = {
    "test_judges_of_the_corpus.py",
    "test_mcp_official_client.py",
    "test_openapi.py",
    "test_process_other_user.py",
}
# Unit tests that start no process, but compute for longer than `make check` has time for; `make test` runs them.
LONG_UNIT = {
    "test_a_flood_of_problems_is_cut_and_counted",
    "test_a_hostile_file_is_judged_without_harm",
    "test_a_hostile_text_is_read_in_one_go",
    "test_a_large_file_is_chosen_from",
    "test_a_line_without_end_does_not_fill_the_memory",
    "test_a_long_list_is_cut_and_counted",
    "test_a_tail_torn_at_any_byte_is_put_aside_and_the_journal_goes_on",
    "test_a_byte_changed_anywhere_before_the_last_line_is_refused_and_nothing_changes",
    "test_every_agent_in_every_preset_loads_as_it_was_meant",
    "test_every_default_written_out_is_valid_and_changes_nothing",
    "test_for_any_single_value_they_agree",
    "test_hostile_files_are_compared_without_harm",
    "test_long_chains_of_dependencies_and_parents_are_no_trouble",
    "test_of_huge_output_the_end_counts",
    "test_pathological_output_is_hashed_in_bounded_time",
    "test_ten_thousand_iterations_fit_into_fifty_megabytes",
}
# Of the fleet's simulation: what takes minutes.
FULL_SIMULATION = {"test_every_broken_rule_is_found", "test_two_minutes_of_seeds_are_sound"}
# Projects of an earlier version (tests/old_journals): one of each great kind.
OLD = {"needs-review", "hats-killed", "roles", "backlog-conflict"}


def mark(items: list[pytest.Item]) -> None:
    """Gives each test the marker of the tier it belongs to; a test of `make test` gets none."""
    acceptance: dict[Path, list[pytest.Item]] = defaultdict(list)
    for item in items:
        room = item.path.relative_to(TESTS).parts[0] if item.path.is_relative_to(TESTS) else ""
        if item.get_closest_marker("slow") or item.get_closest_marker("agents"):
            continue
        if room in ("acceptance", "adversarial"):
            acceptance[item.path].append(item)
        elif room == "old_journals":
            project = item.callspec.params.get("name") if hasattr(item, "callspec") else None
            if project is not None and project not in OLD:
                item.add_marker("full")
        elif room == "simulation":
            if _function(item) in FULL_SIMULATION:
                item.add_marker("full")
        elif item.path.name in FULL_UNIT or "program" in getattr(
            item, "fixturenames", ()
        ):  # a real agent CLI
            item.add_marker("full")
        elif room == "unit" and _function(item) in LONG_UNIT:
            item.add_marker("long")
    for path, tests in acceptance.items():
        _mark_rest(path.name, tests)


def _mark_rest(file: str, tests: list[pytest.Item]) -> None:
    promised = {name for files in PROMISES.values() for name in files.get(file, ())}
    wanted = set(list(dict.fromkeys(map(_function, tests)))[:FIRST]) | promised
    seen: Counter[str] = Counter()
    for item in tests:
        name = _function(item)
        seen[name] += 1
        if name not in wanted or seen[name] > CASES.get((file, name), 1):
            item.add_marker("full")


def _function(item: pytest.Item) -> str:
    return item.name.partition("[")[0]
