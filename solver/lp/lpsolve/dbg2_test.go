package lpsolve
import ("os";"mrsched/solver/lp")
func lpDump(m *lp.Model) { lp.WriteLP(os.Stdout, m) }
