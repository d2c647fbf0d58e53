// Command parts says what a release of mrsched consists of. `parts licences` prints the licences of mrsched and of all
// that is linked into it; `parts sbom FOLDER BINARY DOCUMENT` writes a CycloneDX document. Equal input gives equal
// bytes.
package main

import (
	"bufio"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// library is one in C, linked statically. Its version is that of the Debian package that it comes from.
type library struct {
	name, licence string
	packages      []string // the first that is listed: native, cross
}

var libraries = []library{
	{"lp_solve", "LGPL-2.1-or-later", []string{"liblpsolve55-dev"}},
	{"colamd", "BSD-3-Clause", []string{"libsuitesparse-dev"}},
	{"suitesparseconfig", "LicenseRef-no-restrictions", []string{"libsuitesparse-dev"}},
	{"glibc", "LGPL-2.1-or-later", []string{"libc6-dev", "libc6-dev-arm64-cross"}},
	{"libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1",
		[]string{"libgcc-12-dev", "libgcc-12-dev-arm64-cross"}},
}

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == "licences":
		err = printLicences(os.Stdin, os.Stdout)
	case len(args) == 4 && args[0] == "sbom":
		err = writeSBOM(args[1], args[2], args[3])
	default:
		err = errors.New("usage: parts licences <MODULES, or parts sbom FOLDER BINARY DOCUMENT")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "parts:", err)
		os.Exit(2)
	}
}

// packageVersions reads lines "package version".
func packageVersions(name string) (map[string]string, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	versions := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		name, version, ok := strings.Cut(lines.Text(), " ")
		if !ok {
			return nil, fmt.Errorf("%s: %q is no package with its version", file.Name(), lines.Text())
		}
		versions[name] = version
	}
	return versions, lines.Err()
}

// writeSBOM describes a binary; folder holds packages-ARCHITECTURE.
func writeSBOM(folder, binary, document string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	arch := ""
	for _, s := range info.Settings {
		if s.Key == "GOARCH" {
			arch = s.Value
		}
	}
	versions, err := packageVersions(filepath.Join(folder, "packages-"+arch))
	if err != nil {
		return err
	}
	version, stamp := os.Getenv("RELEASE_VERSION"), os.Getenv("RELEASE_TIME")
	if version == "" || stamp == "" {
		return errors.New("RELEASE_VERSION and RELEASE_TIME must be set")
	}
	doc, err := describe(info, arch, version, stamp, versions)
	if err != nil {
		return err
	}
	return os.WriteFile(document, doc, 0o644)
}
