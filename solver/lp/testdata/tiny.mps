* model tiny __ model
* objective constant 2.5 is the cost of objective_offset
NAME tiny____model
ROWS
 N objective
 G cover
 L cover_2
 E R3
 G objective_2
 L nothing
COLUMNS
 x objective 1
 x cover 1
 x R3 1
 x objective_2 1
 y_1_2_ objective -2
 y_1_2_ cover 2.5
 y_1_2_ R3 1
 z cover -1
 z R3 1
 C_int objective 3
 C_int cover_2 -1
 C_int R3 1
 MARKER0 'MARKER' 'INTORG'
 k objective 1e-07
 k cover_2 1
 k R3 1
 x_2 objective 1
 x_2 cover_2 1e+20
 x_2 R3 1
 MARKER1 'MARKER' 'INTEND'
 C7 R3 1
 objective_offset objective 2.5
RHS
 RHS cover 4
 RHS cover_2 1e+06
 RHS R3 -3
 RHS nothing 1
BOUNDS
 LO BND y_1_2_ -1
 UP BND y_1_2_ 4
 LO BND z -7
 LO BND C_int -9
 UP BND C_int -1
 PL BND k
 UP BND x_2 1
 FX BND C7 3
 FX BND objective_offset 1
ENDATA
