* model 
* objective constant 0 is the cost of objective_offset
NAME model1
ROWS
 N objective
COLUMNS
 objective_offset objective 0
RHS
BOUNDS
 FX BND objective_offset 1
ENDATA
