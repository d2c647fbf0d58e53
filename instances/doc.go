// Package instances makes workloads: seeded generators with the papers' presets, and small shipped examples. What comes
// in is the name of a preset, its parameters and a seed; a model.Workload goes out. Read preset.go first: it is the
// table of presets; maker.go has what generators share.
//
// A generator's output depends on its parameters and seed alone. Random numbers come from PCG streams, one per purpose,
// so that changing one parameter does not change the draws for the others.
package instances
