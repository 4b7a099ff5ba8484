//go:build !linux

package testing

func tareUsed() (used tareUsage, known bool) { return used, false }

func tareDelayed() int64 { return 0 }
