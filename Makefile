# make run          watch the demonstration pages, or load URL=https://... ; all that is needed first
# make test         run all tests
# make help         the other targets

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
URL ?=
PORT ?= 8081
BUILD ?= .build
SHARED ?= ../shared
SUBJECTS ?=
FUZZ = --binary $(BUILD)/fuzz/release/titles-fuzz --folder $(BUILD)/fuzz-work
# Where zsh looks: for packages, and for what is installed by hand.
ZSH_COMPLETIONS ?= $(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
# The Swift runtime goes into the binary: nothing but C libraries is needed where it runs.
# Nothing is loaded into the program that could use its symbols: a program without a table of them is
# a third of a megabyte smaller. Functions that are alike and whose addresses nobody compares are kept
# once.
# The rest is for the same sources to give the same program, byte for byte, wherever they are built: no
# names of the compiler's caches in it, nor a hash of its input. Swift's own unrolling of loops puts values
# in the order of their addresses in the compiler, which differs from run to run; what it leaves is LLVM's
# to unroll. A package has no names of folders either (PATHS); the demonstration site is found by its own.
PATHS ?=
RELEASE = -c release --static-swift-stdlib -Xlinker --no-export-dynamic -Xlinker --icf=safe --no-color-diagnostics $(PATHS) \
	-Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs \
	-Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
	-Xswiftc -Xllvm -Xswiftc -sil-disable-pass=loop-unroll
# What "make install" does to the program; empty to keep its symbols.
STRIP ?= -s

.PHONY: help run test deps build release site lint format tsan asan conformance encodings bench soak kills idle day followers deb deb-deps deb-reproducible deb-test install clean fuzz fuzz-long fuzz-replay fuzz-build man

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## run           build all, then watch the demonstration pages until Ctrl-C, or load URL=... ; a page
##               that failed, or a title that changed, is told and is no error of make's
run: release
ifeq ($(strip $(URL)),)
	$(SWIFT) build $(RELEASE) --product loopback-site
	@$(BUILD)/release/loopback-site --run scripts/run-demonstration $(BUILD)/release/pagewatch '{site}'
else
	@$(BUILD)/release/pagewatch check '$(URL)' || \
		{ code=$$?; echo "exit code $$code"; test $$code -le 2; }
endif

## test          run all tests; those that need SHARED or nginx say so and are skipped without
test: deps
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build

## deps          install what is missing from Debian
deps:
	@scripts/install-dependencies.sh

## build         debug build
build: deps
	$(SWIFT) build

## release       release build: .build/release/pagewatch
release: deps
	$(SWIFT) build $(RELEASE) --product pagewatch

## site          serve the demonstration and test pages on http://127.0.0.1:PORT/ (8081)
site: deps
	$(SWIFT) build $(RELEASE) --product loopback-site
	$(BUILD)/release/loopback-site --port $(PORT)

## lint          check the style
lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests
	scripts/deb-changelog.py --check
	scripts/deb-check.py

## format        set the style right
format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

## tsan          run the tests under ThreadSanitizer
tsan: deps
	PAGEWATCH_SANITIZED=thread $(SWIFT) test --sanitize thread --scratch-path $(BUILD)/tsan

## asan          run the tests under AddressSanitizer
asan: deps
	PAGEWATCH_SANITIZED=address ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --sanitize address --scratch-path $(BUILD)/asan

## conformance   compare the titles of SHARED/cases/titles with the browsers': over HTTP, and in
##               process at 1, 7, 64, 1,024 and 16,384 bytes a chunk and whole
conformance: release
	scripts/conformance.py --binary $(BUILD)/release/pagewatch --cases $(SHARED)/cases/titles
	PAGEWATCH_CORPUS=full PAGEWATCH_SHARED=$(abspath $(SHARED)) $(SWIFT) test -c release \
		-Xswiftc -enable-testing --scratch-path $(BUILD)/conformance --filter Corpus

## encodings     compare what every byte and pair of every encoding becomes with the standard's
##               index files in SHARED/data/encoding, and with Python's codecs
encodings: release
	scripts/check-encodings.py --binary $(BUILD)/release/pagewatch --data $(SHARED)/data/encoding

## fuzz          look for inputs that the readers of pages do not stand: SECONDS (60) for each of
##               SUBJECTS (decoders html encoding xml); see docs/FUZZING.md
fuzz: SECONDS = 60
fuzz: fuzz-build
	scripts/fuzz.py $(FUZZ) --seconds $(SECONDS) --shared $(SHARED)/cases/titles $(SUBJECTS)

## fuzz-long     the same for an hour in all
fuzz-long: SECONDS = 900
fuzz-long: fuzz-build
	nice -n 5 scripts/fuzz.py $(FUZZ) --seconds $(SECONDS) --shared $(SHARED)/cases/titles $(SUBJECTS)

## fuzz-replay   try the one input that is in FILE
fuzz-replay: fuzz-build
	scripts/fuzz.py $(FUZZ) --replay '$(FILE)'

fuzz-build: deps
	PAGEWATCH_FUZZ=1 $(SWIFT) build -c release --sanitize fuzzer --scratch-path $(BUILD)/fuzz \
		--product titles-fuzz

## bench         compare with the C floors of SHARED/bench, and finding titles with libxml2
bench: release
	bench/run $(BUILD)/release/pagewatch $(SHARED)/bench
	$(SWIFT) build $(RELEASE) --product title-speed
	bench/titles $(BUILD)/release/title-speed $(SHARED)/cases/titles

## soak          watch a site of good and sick pages for three minutes, and kill the daemon 200 times
soak: release
	scripts/soak.py --binary $(BUILD)/release/pagewatch
	scripts/soak.py --binary $(BUILD)/release/pagewatch --kill 200

## kills         kill the service and a reader fifty times each, and count the events that are lost
kills: release
	scripts/tail-kills.py --binary $(BUILD)/release/pagewatch

## idle          tell what 10,000 targets at rest cost
idle: release
	scripts/idle.py --binary $(BUILD)/release/pagewatch

## day           watch 1,000 targets for a day that passes in eight minutes (needs Debian's faketime)
day: release
	scripts/day.py --binary $(BUILD)/release/pagewatch

## followers     let 50 readers follow 200 busy targets, and tell what that costs
followers: release
	scripts/followers.py --binary $(BUILD)/release/pagewatch

## man           put the manual and the completions together anew, from man/*.md, docs and the tables
##               of the program
man: deps
	PAGEWATCH_WRITE_MANUAL=1 $(SWIFT) test --filter ManualTests

## deb           build the Debian package, .build/deb/pagewatch_*.deb, and check it
deb: deps deb-deps
	scripts/deb-build $(BUILD)/deb
	lintian --allow-root --fail-on error,warning $(BUILD)/deb/pagewatch_*.changes

## deb-deps      install what the packaging needs beyond "deps"
deb-deps:
	@scripts/install-dependencies.sh --deb

## deb-reproducible  build the package of the last commit twice, under other circumstances, and compare
##               every byte
deb-reproducible: deps deb-deps
	scripts/deb-reproducible

## deb-test      install, upgrade, remove and purge the package in a Debian that boots beside this one
##               (needs root, and Debian's mirror the first time)
deb-test: deb
	scripts/deb-test.py

## install       install to DESTDIR/PREFIX (PREFIX is /usr/local)
install: release
	install -D -m 755 $(STRIP) $(BUILD)/release/pagewatch $(DESTDIR)$(PREFIX)/bin/pagewatch
	install -D -m 644 README.md $(DESTDIR)$(PREFIX)/share/doc/pagewatch/README.md
	install -m 644 LICENSE NOTICE CHANGELOG.md $(DESTDIR)$(PREFIX)/share/doc/pagewatch/
	install -d $(DESTDIR)$(PREFIX)/share/doc/pagewatch/docs
	install -m 644 docs/*.md $(DESTDIR)$(PREFIX)/share/doc/pagewatch/docs/
	install -D -m 644 etc/pagewatch/pagewatch.yaml $(DESTDIR)$(PREFIX)/share/doc/pagewatch/pagewatch.yaml
	for page in man/*.[1578]; do \
		install -D -m 644 "$$page" "$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page#man/}" || exit; \
	done
	install -D -m 644 completions/pagewatch.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/pagewatch
	install -D -m 644 completions/pagewatch.zsh $(DESTDIR)$(PREFIX)/share/zsh/$(ZSH_COMPLETIONS)/_pagewatch
	install -D -m 644 completions/pagewatch.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/pagewatch.fish
	install -D -m 644 bench/README.md $(DESTDIR)$(PREFIX)/share/doc/pagewatch/bench/README.md

## clean         remove what was built
clean:
	rm -rf $(BUILD)
