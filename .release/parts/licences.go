package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const intro = `mrsched is under the MIT licence. The program contains, linked statically, the Go standard library, the Go
modules below, lp_solve, COLAMD, SuiteSparse_config, the GNU C library and libgcc. It uses lp_solve and the
GNU C library, which are under the LGPL-2.1: its text stands at the end. Their source is that of the Debian
packages that the bill of materials of this release names; ` + "`make release-snapshot`" + ` in mrsched's own source,
which the MIT licence lets you pass on and change, links the program again with a changed library.
`

// printLicences reads lines "module@version folder", of which one is mrsched itself, and prints all licences.
func printLicences(in io.Reader, out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprint(w, intro)
	section := func(title, file string) error {
		text, err := os.ReadFile(file)
		fmt.Fprintf(w, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 79), title, strings.TrimSpace(string(text)))
		return err
	}
	var modules []string
	for lines := bufio.NewScanner(in); lines.Scan(); {
		modules = append(modules, lines.Text())
	}
	slices.Sort(modules)
	for _, line := range slices.Compact(modules) {
		name, folder, _ := strings.Cut(line, " ")
		files, err := licenceFiles(folder)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, file := range files {
			if err := section(strings.TrimSuffix(name, "@"), file); err != nil {
				return err
			}
		}
	}
	if err := section("Go standard library", filepath.Join(runtime.GOROOT(), "LICENSE")); err != nil {
		return err
	}
	var before string // libraries of one package stand together
	for _, l := range libraries {
		p := l.packages[0]
		if p == before {
			continue
		}
		before = p
		if err := section("Debian's package "+p, "/usr/share/doc/"+p+"/copyright"); err != nil {
			return err
		}
	}
	for _, name := range []string{"LGPL-2.1", "GPL-3"} {
		if err := section(name, "/usr/share/common-licenses/"+name); err != nil {
			return err
		}
	}
	return w.Flush()
}

// licenceFiles are those of a module; one without is an error.
func licenceFiles(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	var files []string
	for _, e := range entries {
		upper := strings.ToUpper(e.Name())
		for _, part := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE"} {
			if e.Type().IsRegular() && strings.Contains(upper, part) {
				files = append(files, filepath.Join(folder, e.Name()))
				break
			}
		}
	}
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no licence", folder)
	}
	return files, err
}
