// Package instances makes workloads: seeded generators with the papers' presets, and small shipped
// examples.
//
// A generator's output depends on its parameters and seed alone. Random numbers come from PCG streams,
// one a purpose, so that changing one parameter leaves the draws of the others as they were.
package instances
