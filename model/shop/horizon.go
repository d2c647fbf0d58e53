package shop

import "mrsched/model"

// checkHorizon requires that everything one after another, each task where it takes longest, ends within MaxHorizon.
func (in *Instance) checkHorizon(total model.Horizon, found *model.Findings) {
	w, latest := in.workload, model.Time(0)
	for j := range w.Jobs {
		latest = max(latest, w.Jobs[j].Release)
	}
	for u := range w.Tasks {
		latest = max(latest, w.Tasks[u].Release.Or(0))
		total.Add(w.Tasks[u].ShuffleDelay)
	}
	for _, d := range w.Delays {
		total.Add(d.Delay)
	}
	for _, d := range w.Dependencies {
		total.Add(d.Delay)
	}
	for _, a := range w.Unavailable {
		latest = max(latest, a.From, a.Until.Or(0))
	}
	for _, f := range w.Fixed {
		latest = max(latest, f.Start)
	}
	hint := "are times given in milliseconds?"
	if in.replan != nil && in.replan.Until > latest {
		latest, hint = in.replan.Until, "lower --freeze-until"
	}
	if total.Add(latest); total.Over {
		found.Add(model.BeyondHorizon(w.File(model.TableTasks),
			"releases, the tasks' lengths on the slowest nodes and delays", hint))
	}
}
