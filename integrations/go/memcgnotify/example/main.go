// SPDX-License-Identifier: Apache-2.0

// Example prints a line whenever a cgroup crosses a threshold.
//
//	example [-socket PATH] [-events N] CGROUP BYTES
//
// In a kubelet fork the change is one line, in pkg/kubelet/eviction/memory_threshold_notifier.go,
// where CgroupNotifierFactory makes its notifier; memcgnotify.Notifier has the methods of its
// interface CgroupNotifier:
//
//   - return NewCgroupNotifier(path, attribute, threshold)
//   - return memcgnotify.New(path, attribute, threshold)
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"

	"evictd.dev/memcgnotify"
)

// cgroupNotifier is the kubelet's interface of that name.
type cgroupNotifier interface {
	Start(eventCh chan<- struct{})
	Stop()
}

var _ cgroupNotifier = (*memcgnotify.Notifier)(nil)

func run(socket string, events int, directory, threshold string) error {
	bytes, err := strconv.ParseUint(threshold, 10, 64)
	if err != nil {
		return err
	}
	notifier, err := memcgnotify.NewWatch(directory, memcgnotify.Watch{Threshold: bytes},
		memcgnotify.Options{Socket: socket})
	if err != nil {
		return err
	}
	defer notifier.Stop()
	eventCh := make(chan struct{}, 1)
	go notifier.Start(eventCh)
	fmt.Println("listening")
	for i := 0; events == 0 || i < events; i++ {
		<-eventCh
		fmt.Printf("%s %d: crossed\n", directory, bytes)
	}
	return nil
}

func main() {
	socket := flag.String("socket", memcgnotify.DefaultSocket, "evictd's notification socket")
	events := flag.Int("events", 0, "end after so many events; 0: go on")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: example [-socket PATH] [-events N] CGROUP BYTES")
		os.Exit(2)
	}
	if err := run(*socket, *events, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
