test -e queue/queue_test.go && git mv queue/queue_test.go queue/queue_windows_test.go
