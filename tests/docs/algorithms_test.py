#!/usr/bin/env python3
"""Compares docs/reference/algorithms.md with the headers: each algorithm of the standard library that takes an execution
policy has a row, and the header of the row has a form of it with a policy, and no header has one without a row.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "callisto" / "loop" / "algorithms"
# C++23, [algorithm.syn], [numeric.ops.overview], [memory.syn]: names of functions with a parameter ExecutionPolicy&&.
STANDARD = """
adjacent_difference adjacent_find all_of any_of copy copy_if copy_n count count_if destroy destroy_n equal
exclusive_scan fill fill_n find find_end find_first_of find_if find_if_not for_each for_each_n generate
generate_n includes inclusive_scan inplace_merge is_heap is_heap_until is_partitioned is_sorted
is_sorted_until lexicographical_compare max_element merge min_element minmax_element mismatch move none_of
nth_element partial_sort partial_sort_copy partition partition_copy reduce remove remove_copy remove_copy_if
remove_if replace replace_copy replace_copy_if replace_if reverse reverse_copy rotate rotate_copy search
search_n set_difference set_intersection set_symmetric_difference set_union shift_left shift_right sort
stable_partition stable_sort swap_ranges transform transform_exclusive_scan transform_inclusive_scan
transform_reduce uninitialized_copy uninitialized_copy_n uninitialized_default_construct
uninitialized_default_construct_n uninitialized_fill uninitialized_fill_n uninitialized_move
uninitialized_move_n uninitialized_value_construct uninitialized_value_construct_n unique unique_copy
""".split()

ROW = re.compile(r"^\| `(\w+)` \| \[(\w+\.hpp)\]", re.MULTILINE)
FORM = re.compile(r"^\S[^\n]*?\b(\w+)\(const policy& by, ", re.MULTILINE)


def public_forms(header):
    """Returns the names with a policy in namespace callisto: without what stands in namespace loop."""
    text = re.sub(r"^namespace loop \{$.*?^\}  // namespace loop$", "", header.read_text(), flags=re.MULTILINE | re.DOTALL)
    return {name for name in FORM.findall(text)}


def main():
    rows = ROW.findall((ROOT / "docs" / "reference" / "algorithms.md").read_text())
    forms = {header.name: public_forms(header) for header in FOLDER.glob("*.hpp")}
    faults = []
    if len(STANDARD) != len(set(STANDARD)) or sorted(name for name, _ in rows) != sorted(STANDARD):
        faults.append(f"rows differ from the standard's names: {sorted({name for name, _ in rows} ^ set(STANDARD))}")
    for name, header in rows:
        if name not in forms.get(header, ()):
            faults.append(f"{header} has no {name}(const policy& by, ...)")
    for header, names in forms.items():
        for name in names - {name for name, of in rows if of == header}:
            faults.append(f"{header} has {name}(const policy& by, ...), which has no row")
    umbrella = (ROOT / "callisto" / "algorithms.hpp").read_text()
    for header in {header for _, header in rows}:
        if f"loop/algorithms/{header}>" not in umbrella:
            faults.append(f"callisto/algorithms.hpp does not include {header}")
    print("\n".join(faults) or f"{len(rows)} algorithms agree")
    return 1 if faults else 0


sys.exit(main())
