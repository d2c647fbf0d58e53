// Package msix takes the place of go.digitalxero.dev/go-msix, which the Go module proxy refuses. goreleaser imports it
// to write packages for Windows. mrsched has none, so this package has only what the compiler asks for, and every call
// fails.
package msix

import (
	"crypto"
	"crypto/x509"
	"errors"
	"io"
)

var errNone = errors.New("this goreleaser writes no packages for Windows: see .release/msix")

// Manifest and the types below have the fields that goreleaser sets.
type Manifest struct {
	Identity     Identity
	Properties   Properties
	Dependencies Dependencies
	Resources    []Resource
	Applications []Application
	Capabilities Capabilities
}

// Identity says what the package is.
type Identity struct{ Name, Version, Publisher, ProcessorArchitecture, ResourceID string }

// Properties are for people.
type Properties struct{ DisplayName, PublisherDisplayName, Logo, Description string }

// Dependencies are systems that the package runs on.
type Dependencies struct{ TargetDeviceFamilies []TargetDeviceFamily }

// TargetDeviceFamily is a system.
type TargetDeviceFamily struct{ Name, MinVersion, MaxVersionTested string }

// Resource is a language.
type Resource struct{ Language string }

// Application is a program.
type Application struct {
	ID, Executable, EntryPoint string
	VisualElements             VisualElements
}

// VisualElements are how a program looks.
type VisualElements struct {
	DisplayName, Description, BackgroundColor, Square150x150Logo, Square44x44Logo string
}

// Capabilities are what a program may do.
type Capabilities struct {
	Capabilities       []Capability
	DeviceCapabilities []DeviceCapability
	Restricted         []RestrictedCapability
}

// Capability is one of them.
type Capability struct{ Name string }

// DeviceCapability is one of a device.
type DeviceCapability struct{ Name string }

// RestrictedCapability is one that needs approval.
type RestrictedCapability struct{ Name string }

// SignOptions says with what a package is signed.
type SignOptions struct {
	Certificate *x509.Certificate
	PrivateKey  crypto.PrivateKey
	CertChain   []*x509.Certificate
}

// Builder builds nothing.
type Builder struct {
	Manifest    Manifest
	SignOptions *SignOptions
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder { return &Builder{} }

// AddFile fails.
func (*Builder) AddFile(_, _ string) error { return errNone }

// Build fails.
func (*Builder) Build(io.Writer) error { return errNone }

// LoadPFX reads no key.
func LoadPFX(_, _ string) (*x509.Certificate, crypto.PrivateKey, []*x509.Certificate, error) {
	return nil, nil, nil, errNone
}
