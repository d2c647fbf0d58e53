package lpsolve

func init() { debugVerify = func(s *solver, err error) { println("VERIFY", err.Error(), s.m.NumRows(), s.m.NumCols()); lpDump(s.m) } }
