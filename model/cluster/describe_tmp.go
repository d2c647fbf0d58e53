package cluster

const Name = "cluster"
