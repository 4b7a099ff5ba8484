//go:build !linux

package testing

func tareFindWatcher() {}

func tareKeepAside() {}

func tareDelayWatcher() {}
