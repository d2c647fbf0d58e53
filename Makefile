# make run and make test each work as the first command on a fresh Debian machine with Go and git.

GO       ?= go
# 1 takes two to three hours on two processors, 8 a night.
CAMPAIGN_SCALE ?= 1
FUZZTIME ?= $(CAMPAIGN_SCALE)m
FUZZ     ?= .
JOBS_MAX ?= 100
BASE     ?= HEAD
SAMPLE   ?= 1
SECONDS_SCALE ?= 1
RACE_PACKAGES ?= ./...
SHELL    := /bin/bash

.PHONY: deps build run install uninstall test quick nightly lint-all test-slurm test-deploy lint fmt-check bench fuzz golden experiments scoreboard gate verify faults mutations numbers race leaks determinism reliability evidence help release-deps release-check release-tree release-snapshot release-test

# lp_solve and the libraries that it needs, as static archives, with a C compiler: does a program link?
PROBE = printf '\#include <lpsolve/lp_lib.h>\nint main(void) { int a, b, c, d; lp_solve_version(&a, &b, &c, &d); return 0; }\n' | \
	$$($(GO) env CC) -x c - -x none -o /dev/null -l:liblpsolve55.a -l:libcolamd.a -l:libsuitesparseconfig.a -lm -ldl 2>/dev/null
PACKAGES = gcc libc6-dev liblpsolve55-dev libsuitesparse-dev python3 tzdata

deps: ## installs what the linker needs, and python3 and time zones for tests; does nothing, without a network, if they are there
	@if $(PROBE) && python3 -c 'import zoneinfo as z; z.ZoneInfo("Europe/Berlin")' 2>/dev/null; then exit 0; fi; \
	if ! command -v apt-get >/dev/null; then \
		echo "Please install a C compiler (as cc), lp_solve 5.5 (lpsolve/lp_lib.h, liblpsolve55.a) and SuiteSparse" >&2; \
		echo "(libcolamd.a, libsuitesparseconfig.a); on Debian and Ubuntu: apt-get install $(PACKAGES)" >&2; \
		exit 1; \
	fi; \
	sudo=; \
	if [ "$$(id -u)" != 0 ]; then \
		if ! command -v sudo >/dev/null; then echo "Please run as root: apt-get install $(PACKAGES)" >&2; exit 1; fi; \
		sudo=sudo; \
	fi; \
	set -e; \
	$$sudo apt-get update -qq; \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(PACKAGES); \
	if ! $(PROBE); then echo "$(PACKAGES) are installed, but a program with lp_solve does not link" >&2; exit 1; fi

# For `mrsched version`: the commit, its time, and whether files differ from it. Nothing without git, or where this is a folder of another repository: a
# tarball builds as well, and one commit gives the same bytes everywhere.
STAMP = prefix=$$(git rev-parse --show-prefix 2>/dev/null) && [ -z "$$prefix" ] && commit=$$(git rev-parse -q --verify HEAD) && \
	time=$$(TZ=UTC git log -1 --no-show-signature --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd) && \
	echo "-X mrsched/io/cli.revisionTime=$$time -X mrsched/io/cli.revision=$$commit$$([ -z "$$(GIT_OPTIONAL_LOCKS=0 git status --porcelain --untracked-files=normal || echo unknown)" ] || echo -modified)" || true

build: deps ## bin/mrsched, one binary with lp_solve inside
	@mkdir -p bin results
	$(GO) build -trimpath -buildvcs=false -ldflags "$$($(STAMP))" -o bin/mrsched .

run: build ## solves a shipped instance and checks the results
	@mkdir -p results
	@bin/mrsched solve instances/etl -p cluster -a fifo,best,exact -o results/etl --force --quiet
	@bin/mrsched check instances/etl results/etl

PREFIX ?= /usr/local
BIN   = $(DESTDIR)$(PREFIX)/bin/mrsched
SHARE = $(DESTDIR)$(PREFIX)/share
INSTALLED = $(BIN) $(SHARE)/man/man1/mrsched.1 $(SHARE)/bash-completion/completions/mrsched \
	$(SHARE)/zsh/site-functions/_mrsched $(SHARE)/fish/vendor_completions.d/mrsched.fish

install: build ## program, man page and completions below PREFIX (/usr/local), in the tree DESTDIR if there is one
	@set -e; install -D -m 755 bin/mrsched $(BIN); \
	for file in $(filter-out $(BIN),$(INSTALLED)); do mkdir -p "$$(dirname "$$file")"; done; \
	bin/mrsched man >$(SHARE)/man/man1/mrsched.1; \
	bin/mrsched completion bash >$(SHARE)/bash-completion/completions/mrsched; \
	bin/mrsched completion zsh >$(SHARE)/zsh/site-functions/_mrsched; \
	bin/mrsched completion fish >$(SHARE)/fish/vendor_completions.d/mrsched.fish

uninstall: ## removes what make install has put there
	rm -f $(INSTALLED)

test: deps ## all that a change needs; one package more at a time than there are cores, because some tests only wait
	$(GO) test -timeout 40m -p $$(($$(nproc) + 1)) ./...

# NIGHT multiplies the campaigns' numbers of cases; make reliability has 1.
NIGHT ?= 0.3
nightly: build ## all tests with many random cases, the campaigns, fuzzing and the second checker; as root, since disks are filled
	CAMPAIGN_SCALE=$(NIGHT) $(GO) test -tags nightly -timeout 6h -p 1 ./...
	$(MAKE) fuzz FUZZTIME=20s
	python3 deploy/verify/campaign --mrsched bin/mrsched --quick

test-slurm: build ## a sweep as a job array on a Slurm cluster of one node; installs slurm-wlm and munge if they are missing
	deploy/slurm/test.sh bin/mrsched

test-deploy: build ## the scripts, units and manifests of deploy/, and what the image builds; fetches Kubernetes' schema as Go modules
	TEST_DEPLOY_BUILD=yes $(GO) test -timeout 40m -count=1 ./deploy
	cd deploy/kubernetes/test && $(GO) vet ./... && MRSCHED=$(CURDIR)/bin/mrsched $(GO) test -count=1 ./...

quick: deps fmt-check ## in seconds: formatting, imports, prose, and vet, staticcheck and quick tests of the packages changed since BASE
	@dirs=$$({ git diff --name-only --diff-filter=d $(BASE); git ls-files -o --exclude-standard; } | grep '\.go$$' | \
		xargs -r -n1 dirname | sort -u | sed 's#^#./#'); echo changed: $$dirs; \
	$(GO) vet . $$dirs && $(GO) tool staticcheck . $$dirs && $(GO) test -short . $$dirs

lint: deps fmt-check
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

lint-all: lint ## also golangci-lint and actionlint, built from the versions that .lint pins; the first time takes minutes
	$(GO) tool -modfile=.lint/go.mod golangci-lint run ./...
	$(GO) tool -modfile=.lint/actionlint/go.mod actionlint

fmt-check:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "not gofmt-ed:"; echo "$$bad"; exit 1; fi

bench: deps
	$(GO) test -run '^$$' -bench . -benchmem ./...

# A campaign of tests: the name of the tests, and variables of the environment.
CAMPAIGN = mkdir -p results/campaign; $(2) CAMPAIGN_SCALE=$(CAMPAIGN_SCALE) MRSCHED_CAMPAIGN_DIR=$(CURDIR)/results/campaign \
	$(GO) test -count=1 -tags nightly -timeout 24h -run '$(1)' -v ./io/lab/campaign

# Go before 1.27 sometimes fails at the end of FUZZTIME with this message, without a failing input (go.dev/issue/75804):
# such a target runs again, at most twice.
fuzz: deps ## every fuzz target whose name matches FUZZ for FUZZTIME, a processor each; evidence into results/campaign
	@mkdir -p results/campaign
	@grep -ro --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's#/[^/]*:func # #' | LC_ALL=C sort | \
	while read -r dir target; do if [[ $$target =~ $(FUZZ) ]]; then echo "$$dir $$target"; fi; done | \
	xargs -P $$(nproc) -L 1 bash -c 'dir=$$0; target=$$1; name=$${dir#./}; \
		for again in 1 2 3; do \
			out=$$($(GO) test -run "^$$" -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x -parallel 1 $$dir 2>&1); \
			code=$$?; \
			[ $$code != 0 ] && [[ $$out == *"    context deadline exceeded"* && $$out != *"Failing input"* ]] || break; \
		done; \
		echo "$$out" | sed "s#^#$$name $$target: #" | { [ $$code = 0 ] && tail -2 || cat; }; \
		tried=$$(echo "$$out" | sed -n "s/.*execs: \([0-9]*\).*/\1/p" | tail -1); \
		[ $$code = 0 ] && printf "{\"name\":\"fuzz %s %s\",\"tried\":%d,\"found\":0}\n" \
			"$$name" "$$target" "$$tried" >results/campaign/fuzz-$${name//\//-}-$$target.json'

faults: deps ## kills, full disks, signals, limits, broken streams, a failing lp_solve: nothing may be lost; as root for all of it; evidence into results/campaign
	@$(call CAMPAIGN,^TestFaults)

mutations: deps ## corrupts results at random, and breaks each rule of schedules: check must tell; evidence into results/campaign
	@$(call CAMPAIGN,^TestMutations)

numbers: deps ## instances with extreme numbers: a verified certificate, or an honest refusal; evidence into results/campaign
	@$(call CAMPAIGN,^TestNumbers)

verify: build ## the second checker (deploy/verify, Python) judges thousands of valid and corrupted results as check does
	python3 deploy/verify/campaign --mrsched bin/mrsched

race: deps ## go test -short under the race detector, of RACE_PACKAGES (all); evidence into results/campaign
	@$(call CAMPAIGN,^TestRace$$,RACE_PACKAGES="$(RACE_PACKAGES)")

leaks: deps ## thousands of solves in one process, which must hold in the end what it held before; evidence into results/campaign
	@$(call CAMPAIGN,^TestLeaks,GLIBC_TUNABLES=glibc.malloc.tcache_count=0)

determinism: deps ## every command under many settings: the same bytes; evidence into results/campaign
	@$(call CAMPAIGN,^TestDeterminism)

# The longest first, two at a time: one fills the processors while the other waits. A part that fails stops no other.
reliability: ## all campaigns, then the table of evidence; two to three hours on two processors; as root, since disks are filled and made read-only
	@rm -rf results/campaign
	@revision="$$(git describe --always --abbrev=8 --dirty=-modified --exclude '*')"; \
	$(MAKE) -k -j 2 -O race determinism leaks faults fuzz numbers mutations && $(MAKE) evidence CAMPAIGN_REVISION="$$revision"

evidence: deps ## the table of docs/reliability.md from what the campaigns left in results/campaign
	@$(call CAMPAIGN,^TestReliabilityDocument$$,CAMPAIGN_REVISION="$(or $(CAMPAIGN_REVISION),unknown)")

golden: deps ## rewrites golden files, scripts and generated documentation from what the code does now
	$(GO) test -count=1 $$(grep -rlE --include='*_test.go' 'flag\.Bool\("update"' . | xargs -n1 dirname | sort -u) -update

scoreboard: deps ## solves the benchmark sets in the folder BENCH and writes docs/scoreboard.md; ONLY=SETS, SAMPLE=K (every K-th instance), SECONDS_SCALE=X; goes on from results/scoreboard.jsonl
	@test -n "$(BENCH)" || { echo "Please name the folder of the benchmark sets: make scoreboard BENCH=DIR" >&2; exit 1; }
	$(GO) run ./io/lab/scoreboard -only "$(ONLY)" -sample $(SAMPLE) -scale $(SECONDS_SCALE) "$(BENCH)"

gate: deps ## compares schedules, bounds, time and memory with those of the commit BASE; BENCH=DIR adds a sample of the benchmark sets; half an hour
	python3 io/lab/gate/gate.py --base $(BASE) --bench "$(BENCH)"

# QUICK=1 takes minutes: few seeds and jobs, so that most verdicts are undecided.
SIZE = --seed 2001 $(if $(QUICK),--seeds 3 --jobs-max 20,--jobs-max $(JOBS_MAX))

experiments: build ## measures the papers' figures again, up to JOBS_MAX jobs, into results/experiments; QUICK=1 measures less
	@mkdir -p results
	bin/mrsched experiment all $(SIZE) -o results/experiments --force

help: ## lists the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile | expand -t 18

# Releases: static programs, archives, packages, bills of materials. .release pins goreleaser.
SYSROOT = bin/arm64
CROSS   = gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user file
LIBRARIES = liblpsolve55-dev libsuitesparse-dev
VERSION = $(shell sed -n 's/^const Version = "\(.*\)"/\1/p' io/cli/command.go)
GORELEASER = export VERSION=$(VERSION) STAMP="$$($(STAMP))" COMMIT=$$(git rev-parse --short=12 HEAD) && \
	export SOURCE_DATE_EPOCH=$$(git log -1 --no-show-signature --format=%ct) && \
	export COMMIT_DATE=$$(date -u -d @$$SOURCE_DATE_EPOCH +%Y-%m-%dT%H:%M:%SZ) && \
	bin/goreleaser

bin/goreleaser: .release/go.mod .release/msix/msix.go
	$(GO) build -C .release -o ../bin/goreleaser github.com/goreleaser/goreleaser/v2

# apt would remove the amd64 liblpsolve55-dev for that of arm64, which is not Multi-Arch: the arm64 libraries are unpacked only.
release-deps: deps ## as root on Debian amd64: a C compiler for arm64, qemu-user, and the arm64 libraries in bin/arm64
	@set -e; if [ "$$(id -u)" != 0 ] || [ "$$(dpkg --print-architecture)" != amd64 ]; then \
		echo "Please run make release-deps as root on Debian for amd64" >&2; exit 1; fi; \
	dpkg --add-architecture arm64; \
	apt-get update -qq; \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends --no-remove $(CROSS); \
	rm -rf $(SYSROOT); mkdir -p $(SYSROOT)/archives; \
	cd $(SYSROOT)/archives; \
	apt-get -o APT::Sandbox::User=root download -qq $(addsuffix :arm64,$(LIBRARIES)); \
	for file in *.deb; do dpkg-deb --fsys-tarfile "$$file" | \
		tar -x -C .. --wildcards './usr/include/*' './usr/lib/*.a'; done

release-check: bin/goreleaser ## what goreleaser says of .goreleaser.yaml
	$(GORELEASER) check

# .goreleaser.yaml calls this before it builds; RELEASE is the version that it releases.
release-tree: build
	@set -e; case "$(RELEASE)" in $(VERSION)|$(VERSION)-*) ;; \
		*) echo "The release is $(RELEASE), but io/cli/command.go says $(VERSION)" >&2; exit 1; esac; \
	if ! ls $(SYSROOT)/archives/*.deb >/dev/null 2>&1; then echo "Please run make release-deps first" >&2; exit 1; fi; \
	rm -rf bin/release; \
	$(MAKE) -s install PREFIX=/usr DESTDIR=bin/release; \
	$(GO) build -C .release -o ../bin/release/parts ./parts; \
	$(GO) list -deps -f '{{with .Module}}{{.Path}}@{{.Version}} {{.Dir}}{{end}}' . | \
		bin/release/parts licences >bin/release/licences.txt; \
	gzip -9nc bin/release/usr/share/man/man1/mrsched.1 >bin/release/mrsched.1.gz; \
	gzip -9nc CHANGELOG.md >bin/release/changelog.gz; \
	dpkg-query -W -f '$${Package} $${Version}\n' $(LIBRARIES) libc6-dev libgcc-12-dev >bin/release/packages-amd64; \
	{ for file in $(SYSROOT)/archives/*.deb; do dpkg-deb -W --showformat '$${Package} $${Version}\n' "$$file"; done; \
		dpkg-query -W -f '$${Package} $${Version}\n' libc6-dev-arm64-cross libgcc-12-dev-arm64-cross; \
	} >bin/release/packages-arm64

release-snapshot: bin/goreleaser ## what a release would publish, in dist/, from the commit that is checked out; needs release-deps
	$(GORELEASER) release --snapshot --clean

release-test: ## dist/: archives, packages and bills of materials; the arm64 program runs under qemu-user
	TEST_RELEASE=yes $(GO) test -count=1 -run '^TestRelease' -v ./deploy
