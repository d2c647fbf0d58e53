// Package test validates the Kubernetes manifests without a cluster, and runs their commands as a cluster would. It
// is a module of its own, so that mrsched does not depend on Kubernetes' schema.
package test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

const (
	sweepFile = "../sweep-job.yaml"
	mergeFile = "../merge-job.yaml"
)

// bundle holds the objects of the two manifests.
type bundle struct {
	sweep, merge batchv1.Job
	spec         corev1.ConfigMap
	volume       corev1.PersistentVolumeClaim
	network      networkingv1.NetworkPolicy
}

// documents splits a YAML file.
func documents(text []byte) ([][]byte, error) {
	var list [][]byte
	for r := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		doc, err := r.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, doc)
	}
}

// check validates one document twice: against Kubernetes' published OpenAPI schema, which names required keys, and
// against the types of a current release.
func check(doc []byte, into any) error {
	var value map[string]any
	if err := yaml.UnmarshalStrict(doc, &value); err != nil {
		return err
	}
	version, _ := value["apiVersion"].(string)
	kind, _ := value["kind"].(string)
	schema := openapi.SchemaForResourceType(kyaml.TypeMeta{APIVersion: version, Kind: kind})
	if schema == nil {
		return fmt.Errorf("the schema has no %s %s", version, kind)
	}
	closed, err := closed(schema.Schema)
	if err != nil {
		return err
	}
	if err := validate.AgainstSchema(closed, value, strfmt.Default); err != nil {
		return err
	}
	return yaml.UnmarshalStrict(doc, into)
}

// closed is a schema with resolved references whose objects allow only named keys. The published one allows others.
func closed(s *spec.Schema) (*spec.Schema, error) {
	if s.Ref.String() != "" {
		to, err := openapi.Resolve(&s.Ref, openapi.Schema())
		if err != nil {
			return nil, err
		}
		return closed(to)
	}
	c := *s
	var err error
	if len(s.Properties) > 0 {
		c.Properties = map[string]spec.Schema{}
		c.AdditionalProperties = &spec.SchemaOrBool{Allows: false}
		for name, property := range s.Properties {
			p, err := closed(&property)
			if err != nil {
				return nil, err
			}
			c.Properties[name] = *p
		}
	}
	if s.Items != nil && s.Items.Schema != nil {
		c.Items = &spec.SchemaOrArray{}
		if c.Items.Schema, err = closed(s.Items.Schema); err != nil {
			return nil, err
		}
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		c.AdditionalProperties = &spec.SchemaOrBool{Allows: true}
		if c.AdditionalProperties.Schema, err = closed(a.Schema); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

// load reads and validates the text of both manifests.
func load(sweep, merge []byte) (*bundle, error) {
	b := &bundle{}
	objects := map[string]any{
		"Job mrsched-sweep": &b.sweep, "Job mrsched-merge": &b.merge, "ConfigMap mrsched-sweep": &b.spec,
		"PersistentVolumeClaim mrsched-sweep": &b.volume, "NetworkPolicy mrsched-sweep": &b.network,
	}
	for _, text := range [][]byte{sweep, merge} {
		docs, err := documents(text)
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			var head struct {
				Kind     string
				Metadata struct{ Name string }
			}
			if err := yaml.Unmarshal(doc, &head); err != nil {
				return nil, err
			}
			name := head.Kind + " " + head.Metadata.Name
			into, ok := objects[name]
			if !ok {
				return nil, fmt.Errorf("unexpected or twice: %q", name)
			}
			delete(objects, name)
			if err := check(doc, into); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if len(objects) > 0 {
		return nil, fmt.Errorf("missing: %v", objects)
	}
	return b, nil
}

func read(t *testing.T) (sweep, merge []byte) {
	t.Helper()
	sweep, err1 := os.ReadFile(sweepFile)
	merge, err2 := os.ReadFile(mergeFile)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return sweep, merge
}

func loaded(t *testing.T) *bundle {
	t.Helper()
	b, err := load(read(t))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestMutations breaks the manifest once for every kind of mistake that check finds, each with its place.
func TestMutations(t *testing.T) {
	sweep, merge := read(t)
	for old, m := range map[string]struct{ new, says string }{
		"restartPolicy: Never":              {"restartPolicys: Never", "restartPolicys"},
		"claimName:":                        {"claim:", "claim"},
		"policyTypes:":                      {"policies:", "policies"},
		"apiVersion: batch/v1":              {"apiVersion: batch/v9", "batch/v9"},
		"completions: 8":                    {"completions: eight", "completions"},
		`value: "8"`:                        {"value: 8", "value"},
		"- name: mrsched\n          image:": {"- image:", "name"},
		"parallelism: 8":                    {"parallelism: 8\n  parallelism: 4", "parallelism"},
		"  imagePullPolicy:":                {" imagePullPolicy:", "line"},
	} {
		if !bytes.Contains(sweep, []byte(old)) {
			t.Fatalf("the manifest has no %q", old)
		}
		_, err := load(bytes.Replace(sweep, []byte(old), []byte(m.new), 1), merge)
		if err == nil || !strings.Contains(err.Error(), m.says) {
			t.Errorf("%s: got %v; want an error that names %q", m.new, err, m.says)
		}
	}
}
