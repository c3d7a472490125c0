// SPDX-License-Identifier: Apache-2.0

// Package memcgnotify tells when a cgroup crosses a memory threshold, on every cgroup version, by
// asking evictd. It has no dependency beyond the standard library and needs no cgo.
//
// A Notifier is shaped like the kubelet's CgroupNotifier: Start with a channel, Stop.
//
//	notifier, err := memcgnotify.New("/sys/fs/cgroup/kubepods.slice", "memory.usage_in_bytes", threshold)
//	events := make(chan struct{}, 1)
//	go notifier.Start(events)
//	for range events { ... }
package memcgnotify

import (
	"errors"
	"fmt"
	"os"
	"path"
	"sync"
	"syscall"
	"time"
)

// DefaultSocket is where evictd listens unless it is told otherwise.
const DefaultSocket = "/run/evictd/notify.sock"

// Signal is what is watched.
type Signal uint32

// Signals, as include/evictd/abi/notify_terms.h describes them. Pressure and OOM are events without a value: the
// Threshold of Pressure is Low, Medium or Critical, that of OOM 0.
const (
	Usage      Signal = 0
	MemSW      Signal = 1
	WorkingSet Signal = 2
	Rate       Signal = 3
	Pids       Signal = 4
	Pressure   Signal = 5
	OOM        Signal = 6
)

// Unit is what a threshold is counted in.
type Unit uint32

// Absolute is the signal's own unit, OfLimit millionths of the cgroup's limit.
const (
	Absolute Unit = 0
	OfLimit  Unit = 1
)

// Direction says which crossings count.
type Direction uint32

// Both is what cgroup v1 does.
const (
	Both Direction = 0
	Up   Direction = 1
	Down Direction = 2
)

// Levels of cgroup v1's memory.pressure_level, as thresholds of Pressure: a listener hears its own and those above it.
const (
	Low      uint64 = 0
	Medium   uint64 = 1
	Critical uint64 = 2
)

// Mode says whose pressure counts.
type Mode uint32

// The modes of cgroup v1's memory.pressure_level.
const (
	Default   Mode = 0
	Hierarchy Mode = 1
	Local     Mode = 2
)

// Watch is what to listen for. The zero value with a Threshold is usage in bytes, both ways.
type Watch struct {
	Signal     Signal
	Unit       Unit
	Direction  Direction
	Mode       Mode
	Threshold  uint64
	Hysteresis uint64
}

// Options of a Notifier beyond what it watches.
type Options struct {
	// Socket of evictd, DefaultSocket if empty.
	Socket string
	// Timeout of one request, and of waiting for a place in the queue of evictd's socket, 5 s if zero.
	Timeout time.Duration
	// Retry is how long to wait before the next try while evictd's socket is there and does not
	// serve, 1 s if zero. While there is no socket its coming is an event and nothing is tried; only
	// where the user's inotify instances are used up it is looked for that often.
	Retry time.Duration
}

// Notifier is one registration. It outlives a restart of evictd: it registers anew, and then sends
// one event, because what was crossed in the meantime is not known.
type Notifier struct {
	watch   Watch
	options Options
	cgroup  *os.File
	eventfd *os.File

	mutex        sync.Mutex
	connection   *connection
	registration uint64
	stopped      bool
	// What waits while evictd is gone, nil before that.
	comeback *pathWait

	stop chan struct{}
	done sync.WaitGroup
}

// New registers a threshold in bytes, with the arguments of the kubelet's NewCgroupNotifier: the
// cgroup's directory, the attribute (memory.usage_in_bytes, memory.current,
// memory.memsw.usage_in_bytes or memory.working_set) and the threshold.
func New(directory, attribute string, threshold int64) (*Notifier, error) {
	signals := map[string]Signal{
		"memory.usage_in_bytes":       Usage,
		"memory.current":              Usage,
		"memory.memsw.usage_in_bytes": MemSW,
		"memory.working_set":          WorkingSet,
	}
	signal, known := signals[path.Base(attribute)]
	if !known {
		return nil, fmt.Errorf("memcgnotify: no notification of %q", attribute)
	}
	if threshold < 0 {
		return nil, fmt.Errorf("memcgnotify: threshold %d is negative", threshold)
	}
	return NewWatch(directory, Watch{Signal: signal, Threshold: uint64(threshold)}, Options{})
}

// NewWatch registers anything. An error of evictd is a syscall.Errno within; the protocol's page
// says which there are.
func NewWatch(directory string, watch Watch, options Options) (*Notifier, error) {
	if options.Socket == "" {
		options.Socket = DefaultSocket
	}
	if options.Timeout == 0 {
		options.Timeout = 5 * time.Second
	}
	if options.Retry == 0 {
		options.Retry = time.Second
	}
	cgroup, err := os.OpenFile(directory, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("memcgnotify: %w", err)
	}
	eventfd, err := newEventfd()
	if err != nil {
		cgroup.Close()
		return nil, err
	}
	n := &Notifier{watch: watch, options: options, cgroup: cgroup, eventfd: eventfd, stop: make(chan struct{})}
	if err := n.connect(); err != nil {
		n.Stop()
		return nil, err
	}
	n.done.Add(1)
	go n.keepConnected()
	return n, nil
}

// newEventfd does without the constants of golang.org/x/sys: O_CLOEXEC and O_NONBLOCK are those of
// eventfd2(2) too. Not blocking, so that Go's poller waits for it and Close ends the waiting.
func newEventfd() (*os.File, error) {
	fd, _, errno := syscall.Syscall(sysEventfd2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if errno != 0 {
		return nil, fmt.Errorf("memcgnotify: eventfd: %w", errno)
	}
	return os.NewFile(fd, "eventfd"), nil
}

// control runs call with a file's number. Unlike os.File.Fd it leaves the file in Go's poller.
func control(file *os.File, call func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	if err := raw.Control(func(fd uintptr) { result = call(int(fd)) }); err != nil {
		return err
	}
	return result
}

// registerError is evictd's refusal of a registration.
type registerError struct {
	directory string
	err       error
}

func (e *registerError) Error() string {
	return fmt.Sprintf("memcgnotify: register %s: %v", e.directory, e.err)
}

func (e *registerError) Unwrap() error { return e.err }

// connect makes the connection and the registration.
func (n *Notifier) connect() error {
	c, err := dial(n.options.Socket, n.options.Timeout)
	if err != nil {
		return err
	}
	var registration uint64
	err = control(n.eventfd, func(eventfd int) error {
		var refusal error
		registration, refusal = c.register(n.watch, eventfd, n.cgroup)
		return refusal
	})
	if err != nil {
		c.socket.Close()
		return &registerError{n.cgroup.Name(), err}
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.stopped {
		c.socket.Close()
		return os.ErrClosed
	}
	n.connection, n.registration = c, registration
	return nil
}

// keepConnected connects again whenever evictd has gone, until Stop or until evictd refuses.
func (n *Notifier) keepConnected() {
	defer n.done.Done()
	for {
		n.mutex.Lock()
		c := n.connection
		n.mutex.Unlock()
		c.awaitEnd()
		c.socket.Close()
		if !n.reconnect() {
			return
		}
	}
}

// reconnect waits until evictd serves again. It returns false when there is nothing to connect for
// any more.
func (n *Notifier) reconnect() bool {
	comeback := n.expectComeback()
	defer comeback.close()
	for {
		// In this order nothing is missed: what comes after the look is an event.
		armed := comeback.arm() == nil
		err := n.connect()
		select {
		case <-n.stop:
			return false
		default:
		}
		if err == nil || isRemoved(err) {
			// The gap's one event, or the last one of a cgroup that was removed.
			n.addOne()
			return err == nil
		}
		limit := n.options.Retry
		if armed && errors.Is(err, os.ErrNotExist) {
			limit = 0
		}
		comeback.wait(limit, n.stop)
	}
}

// isRemoved says whether evictd refused because there is no such cgroup any more.
func isRemoved(err error) bool {
	var refused *registerError
	return errors.As(err, &refused) &&
		(errors.Is(refused, syscall.ENODEV) || errors.Is(refused, syscall.ENOTDIR))
}

// expectComeback returns what Stop closes, or nil where there is no inotify instance left.
func (n *Notifier) expectComeback() *pathWait {
	comeback, err := newPathWait(n.options.Socket)
	if err != nil {
		return nil
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.stopped {
		comeback.close()
	}
	n.comeback = comeback
	return comeback
}

func (n *Notifier) addOne() {
	one := make([]byte, 8)
	native.PutUint64(one, 1)
	_, _ = n.eventfd.Write(one)
}

// Start sends an event on eventCh after each crossing, until Stop; it does not close eventCh. While
// the receiver is busy crossings add up, to one event.
func (n *Notifier) Start(eventCh chan<- struct{}) {
	count := make([]byte, 8)
	for {
		if _, err := n.eventfd.Read(count); err != nil {
			return
		}
		select {
		case <-n.stop:
			return
		case eventCh <- struct{}{}:
		}
	}
}

// Stop ends the registration, and Start. It may be called several times.
func (n *Notifier) Stop() {
	n.mutex.Lock()
	if n.stopped {
		n.mutex.Unlock()
		return
	}
	n.stopped = true
	close(n.stop)
	if n.connection != nil {
		// Closing it ends what is registered with it.
		n.connection.socket.Close()
	}
	// Closing it ends the waiting.
	n.comeback.close()
	n.mutex.Unlock()
	n.done.Wait()
	n.eventfd.Close()
	n.cgroup.Close()
}
