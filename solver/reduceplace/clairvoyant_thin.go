package reduceplace

import "mrsched/model/reduceplace"

func thin(in *reduceplace.Instance, curves []curve) {}
