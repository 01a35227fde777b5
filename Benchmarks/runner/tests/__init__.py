"""What can be tested without a server or a clock: `python3 -m unittest discover -s runner/tests -t .` in Benchmarks."""
