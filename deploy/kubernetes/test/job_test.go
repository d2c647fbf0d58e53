package test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// program is mrsched. Without it the manifests are validated but not run.
const program = "MRSCHED"

func TestIndexed(t *testing.T) {
	b := loaded(t)
	s := b.sweep.Spec
	if s.CompletionMode == nil || *s.CompletionMode != batchv1.IndexedCompletion {
		t.Errorf("completionMode %v", s.CompletionMode)
	}
	if s.Completions == nil || s.Parallelism == nil || s.BackoffLimit == nil || *s.Parallelism > *s.Completions ||
		*s.Completions < 2 {
		t.Fatalf("completions %v, parallelism %v, backoffLimit %v", s.Completions, s.Parallelism, s.BackoffLimit)
	}
	for _, e := range container(t, &b.sweep).Env {
		if e.Name == "JOB_COMPLETIONS" && e.Value != strconv.Itoa(int(*s.Completions)) {
			t.Errorf("JOB_COMPLETIONS is %s, completions %d", e.Value, *s.Completions)
		}
	}
}

// container is the only one of a job.
func container(t *testing.T, j *batchv1.Job) corev1.Container {
	t.Helper()
	if n := len(j.Spec.Template.Spec.Containers); n != 1 {
		t.Fatalf("%s has %d containers", j.Name, n)
	}
	return j.Spec.Template.Spec.Containers[0]
}

// TestConfined requires that the pods need no rights and no network.
func TestConfined(t *testing.T) {
	b := loaded(t)
	for _, j := range []*batchv1.Job{&b.sweep, &b.merge} {
		pod, c := j.Spec.Template.Spec, container(t, j)
		p, s := pod.SecurityContext, c.SecurityContext
		if p == nil || p.RunAsNonRoot == nil || !*p.RunAsNonRoot || p.RunAsUser == nil || *p.RunAsUser == 0 ||
			p.SeccompProfile == nil {
			t.Errorf("%s: the pod's security context %+v", j.Name, p)
		}
		if s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil ||
			*s.AllowPrivilegeEscalation ||
			s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) ||
			len(s.Capabilities.Add) > 0 {
			t.Errorf("%s: the container's security context %+v", j.Name, s)
		}
		if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
			t.Errorf("%s: pods get a token of the cluster", j.Name)
		}
		for _, list := range []corev1.ResourceList{c.Resources.Requests, c.Resources.Limits} {
			if list.Cpu().IsZero() || list.Memory().IsZero() {
				t.Errorf("%s: resources %v", j.Name, list)
			}
		}
		if r := pod.RestartPolicy; r != corev1.RestartPolicyNever && r != corev1.RestartPolicyOnFailure {
			t.Errorf("%s: restartPolicy %s", j.Name, r)
		}
		for name, value := range b.network.Spec.PodSelector.MatchLabels {
			if j.Spec.Template.Labels[name] != value {
				t.Errorf("%s: the network policy is not about its pods", j.Name)
			}
		}
	}
	if n := b.network.Spec; len(n.PolicyTypes) != 2 || len(n.Ingress)+len(n.Egress) > 0 ||
		len(n.PodSelector.MatchLabels) == 0 {
		t.Errorf("network policy %+v", n)
	}
}

// mounts returns the folders that replace a pod's volumes, by mount path. Every name must refer to an object of the
// manifest.
func (b *bundle) mounts(t *testing.T, j *batchv1.Job, spec, volume string) map[string]string {
	t.Helper()
	folders := map[string]string{} // by volume
	for _, v := range j.Spec.Template.Spec.Volumes {
		switch {
		case v.ConfigMap != nil && v.ConfigMap.Name == b.spec.Name:
			folders[v.Name] = spec
		case v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == b.volume.Name:
			folders[v.Name] = volume
		default:
			t.Errorf("%s: volume %s is not in the manifest", j.Name, v.Name)
		}
	}
	paths := map[string]string{}
	for _, m := range container(t, j).VolumeMounts {
		if folders[m.Name] == "" {
			t.Errorf("%s mounts %s, which is no volume", j.Name, m.Name)
		}
		paths[m.MountPath] = folders[m.Name]
	}
	return paths
}

// execute runs a job's container as one of its pods.
func execute(t *testing.T, j *batchv1.Job, mounts map[string]string, index string) {
	t.Helper()
	c := container(t, j)
	var args []string
	for _, a := range c.Args {
		for at, folder := range mounts {
			if rest, ok := strings.CutPrefix(a, at+"/"); ok {
				a = filepath.Join(folder, rest)
			}
		}
		args = append(args, a)
	}
	cmd := exec.Command(os.Getenv(program), args...)
	cmd.Env = []string{"JOB_COMPLETION_INDEX=" + index}
	for _, e := range c.Env {
		value := e.Value
		if f := e.ValueFrom; f != nil && f.ResourceFieldRef != nil && f.ResourceFieldRef.Resource == "limits.cpu" {
			value = strconv.FormatInt(c.Resources.Limits.Cpu().Value(), 10)
		}
		cmd.Env = append(cmd.Env, e.Name+"="+value)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s, index %s: %v: %v\n%s", j.Name, index, args, err, out)
	}
}

// TestRun runs the job's pods one after another, and the merge; the tables must be those of one process.
func TestRun(t *testing.T) {
	if os.Getenv(program) == "" {
		t.Skip(program + " names no mrsched: make test-deploy does")
	}
	b := loaded(t)
	spec, volume, alone := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "alone")
	for name, text := range b.spec.Data {
		if err := os.WriteFile(filepath.Join(spec, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mounts := b.mounts(t, &b.sweep, spec, volume)
	for i := range int(*b.sweep.Spec.Completions) {
		execute(t, &b.sweep, mounts, strconv.Itoa(i))
	}
	execute(t, &b.merge, b.mounts(t, &b.merge, spec, volume), "")
	for _, args := range [][]string{{"sweep", filepath.Join(spec, "spec.json"), "-o", alone, "--quiet"},
		{"sweep", "merge", alone}} {
		if out, err := exec.Command(os.Getenv(program), args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	rows, err := filepath.Glob(filepath.Join(volume, "*"))
	if err != nil || len(rows) != 1 {
		t.Fatalf("the volume holds %v %v", rows, err)
	}
	for _, name := range []string{"sweep.csv", "summary.csv"} {
		ours, err1 := os.ReadFile(filepath.Join(rows[0], name))
		want, err2 := os.ReadFile(filepath.Join(alone, name))
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(ours, want) {
			t.Errorf("%s of %d shards differs from that of one process", name, *b.sweep.Spec.Completions)
		}
	}
}
