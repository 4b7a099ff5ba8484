# The Makefile only delegates. `make demo` and `make test` work as the first command on a fresh clone.

.PHONY: setup demo test check-rust check-php check-cpp check-go check-python check-packages conformance validate bench fuzz docs check-docs dist dist-test dist-twice publish-test

TARE := target/release/tare

setup:
	@scripts/setup

demo: setup
	@scripts/demo

test: setup
	@scripts/test

check-rust: setup
	@scripts/check-rust

check-php: setup
	@scripts/check-php

check-cpp: setup
	@scripts/check-cpp

check-go: setup
	@scripts/check-go

check-python: setup
	scripts/check-python

check-packages: setup
	@scripts/check-packages

conformance: setup
	@scripts/conformance

validate: setup
	@scripts/validate

bench: setup
	cargo bench --workspace

# The documentation as a book, target/book/index.html. Runs all of its code, which takes some minutes.
docs: setup
	@scripts/book
	@scripts/check-docs --long

check-docs: setup
	@scripts/check-docs

# For so many seconds: make fuzz FOR=60
fuzz: setup
	@scripts/fuzz $(or $(FOR),300)

# What is installed without Rust, into target/packages.
dist:
	@scripts/dist

# Installs what `make dist` built, and measures with it.
dist-test:
	@scripts/dist-test

# Whether two builds of HEAD are the same bytes.
dist-twice:
	@scripts/dist-twice

# Publishes what `make dist` built to stand-ins on this machine, and installs it from there.
publish-test:
	@scripts/publish-test
