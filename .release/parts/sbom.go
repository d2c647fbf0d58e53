package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// document is of CycloneDX 1.6, as far as it is used.
type document struct {
	Format       string      `json:"bomFormat"`
	Spec         string      `json:"specVersion"`
	Version      int         `json:"version"`
	Metadata     metadata    `json:"metadata"`
	Components   []component `json:"components"`
	Dependencies []depends   `json:"dependencies"`
}

type metadata struct {
	Time      string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type     string     `json:"type"`
	Ref      string     `json:"bom-ref"`
	Name     string     `json:"name"`
	Version  string     `json:"version"`
	Licences []licence  `json:"licenses,omitempty"`
	URL      string     `json:"purl,omitempty"`
	About    []property `json:"properties,omitempty"`
}

type licence struct {
	Expression string `json:"expression"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type depends struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// describe lists the Go modules that the binary itself names, and the libraries in C.
func describe(info *buildinfo.BuildInfo, arch, version, stamp string, versions map[string]string) ([]byte, error) {
	self := component{Type: "application", Ref: "mrsched", Name: "mrsched", Version: version,
		Licences: []licence{{"MIT"}}, About: []property{{"architecture", arch}}}
	doc := document{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{Time: stamp, Component: self}}
	std := strings.TrimPrefix(info.GoVersion, "go")
	doc.Components = append(doc.Components, component{Type: "library", Ref: "std", Name: "std", Version: std,
		Licences: []licence{{"BSD-3-Clause"}}, URL: "pkg:golang/std@" + std})
	for _, m := range info.Deps {
		c := component{Type: "library", Ref: m.Path, Name: m.Path, Version: m.Version,
			URL: "pkg:golang/" + m.Path + "@" + url.PathEscape(m.Version)}
		if m.Sum != "" {
			c.About = []property{{"go.sum", m.Sum}}
		}
		doc.Components = append(doc.Components, c)
	}
	for _, l := range libraries {
		c, err := l.component(arch, versions)
		if err != nil {
			return nil, err
		}
		doc.Components = append(doc.Components, c)
	}
	on := make([]string, len(doc.Components))
	for i, c := range doc.Components {
		on[i] = c.Ref
	}
	doc.Dependencies = []depends{{self.Ref, on}}
	text, err := json.MarshalIndent(doc, "", "  ")
	return append(text, '\n'), err
}

func (l library) component(arch string, versions map[string]string) (component, error) {
	for _, p := range l.packages {
		version, ok := versions[p]
		if !ok {
			continue
		}
		if strings.HasSuffix(p, "-cross") {
			arch = "all"
		}
		return component{Type: "library", Ref: l.name, Name: l.name, Version: version,
			Licences: []licence{{l.licence}},
			URL:      "pkg:deb/debian/" + p + "@" + url.QueryEscape(version) + "?arch=" + arch}, nil
	}
	return component{}, fmt.Errorf("%s: none of the packages %v is listed", l.name, l.packages)
}
