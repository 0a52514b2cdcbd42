# Each target is a script or a line that can be typed without make.

.PHONY: help setup demo check test soak bench docs

help:
	@echo 'make setup   install what the build needs, or print the one command that does'
	@echo 'make demo    read the Debian package database of this machine, and ask it questions'
	@echo 'make check   format, layers, warnings as errors'
	@echo 'make test    build and run every test (under 20 minutes on two cores)'
	@echo 'make soak    hours: the random tests a hundred times longer, sanitizers, the package by tag'
	@echo 'make bench   measure against SQLite, write Benchmarks/RESULTS.md'
	@echo 'make docs    the reference, as a static site in .build/docs'

setup:
	@scripts/setup

demo:
	@./demo

check:
	@scripts/check

test:
	@./test

soak:
	@scripts/soak

bench:
	@Benchmarks/bench

docs:
	@scripts/docs
