#include "textflag.h"

// func assembled(x int) int
TEXT ·assembled(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), AX
	ADDQ $131, AX
	MOVQ AX, ret+8(FP)
	RET
