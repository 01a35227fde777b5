"""Runs this server and what it is compared with by turns, and says which targets are met.

Reading order: `__main__` (the command), `kit` (the outside kit, PostgreSQL, the builds), `bench` (one invocation),
`groups` (what is run, in which order), `rows` (what is promised), `figures` (from runs to ratios).
"""
