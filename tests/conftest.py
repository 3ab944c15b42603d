"""What the whole suite shares."""

# The guide's blocks are run by test_guide.py, not imported as modules.
collect_ignore_glob = ["guide/*"]
