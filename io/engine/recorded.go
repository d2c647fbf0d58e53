package engine

import "mrsched/model"

// StatusRecorded marks what a trace says that the real cluster did.
const StatusRecorded model.Status = "recorded"
