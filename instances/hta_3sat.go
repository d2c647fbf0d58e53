package instances

import (
	"errors"
	"io/fs"
	"os"

	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/model/hta/sat"
	"mrsched/solver"
)

func satPreset() Preset {
	return Preset{
		Problem: "hta", Name: "3sat",
		Summary: "the reduction from 3SAT: the formula is satisfiable exactly if the makespan is at most 3",
		Source:  "Fischer, Su, Yin, SPAA 2010, §3.2",
		Params: []solver.Param{
			{Name: "cnf", Kind: solver.StringParam, Usage: "the formula, a DIMACS CNF file with at most three literals a " +
				"clause; plain or gzip"},
		},
		Generate: generateSAT,
	}
}

// generateSAT reads the formula; nothing is random.
func generateSAT(p solver.Params, _ uint64) (*model.Workload, error) {
	path := p.Text("cnf")
	if path == "" {
		return nil, model.NewInputError(contradiction("preset 3sat needs a formula", "--cnf FILE",
			"DIMACS CNF, at most three literals a clause"))
	}
	file, err := os.Open(path)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err // the path stands in the position
		}
		return nil, model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: path},
			What:     err.Error(),
			Expected: "a DIMACS CNF file", Hint: "check the path and its permissions"})
	}
	defer file.Close() // it was only read
	formula, err := sat.ReadCNF(textpos.NewReader(file, path), path)
	if err != nil {
		return nil, err
	}
	return sat.Reduce(formula)
}
