//go:build !linux

package testing

func tareHold(descriptor uintptr) bool { return false }

func tareReadHeld(descriptor uintptr, into []byte) int { return -1 }

func tareWriteHeld(descriptor uintptr, line []byte) int { return 0 }
