package sched

// Features that are on.
const (
	Daily  = true
	Weekly = true
)
