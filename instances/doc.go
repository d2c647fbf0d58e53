// Package instances makes workloads: seeded generators with the papers' presets, and small shipped
// examples.
//
// A generator's output depends on its parameters and seed alone. Random numbers come from PCG streams, one per purpose,
// so that changing one parameter does not change the draws for the others.
package instances
