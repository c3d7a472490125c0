// SPDX-License-Identifier: Apache-2.0

package memcgnotify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// Of include/evictd/abi/notify_wire.h and notify_terms.h, version 1; docs/notify_protocol.md.
const (
	wireMagic   = 0x746e7665
	wireVersion = 1
	wireReply   = 0x80000000

	typeHello      = 1
	typeRegister   = 2
	typeUnregister = 3

	helloSize           = 24
	helloReplySize      = 48
	registerSize        = 56
	registerReplySize   = 40
	unregisterSize      = 24
	unregisterReplySize = 24
	headSize            = 24
)

// The machine's byte order: both ends are on one machine.
var native = func() binary.ByteOrder {
	probe := uint16(1)
	if *(*byte)(unsafe.Pointer(&probe)) == 1 {
		return binary.LittleEndian
	}
	return binary.BigEndian
}()

// errGone says that the connection has ended, or is of no more use.
var errGone = errors.New("memcgnotify: evictd has gone")

// connection is one greeted connection to the notification socket. For one goroutine at a time.
type connection struct {
	socket  *net.UnixConn
	timeout time.Duration
	last    uint64
}

// connectTo waits for a place in the server's queue: who fills it delays others, and that is all. It
// does not go through net.Dial, whose socket does not block: connect(2) then fails at once where the
// queue is full, and there is nothing to poll for.
func connectTo(path string, deadline time.Time) (*net.UnixConn, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	file := os.NewFile(uintptr(fd), path)
	// What comes out of it has a descriptor of its own.
	defer file.Close()
	if err := connectBefore(fd, path, deadline); err != nil {
		return nil, &os.PathError{Op: "connect", Path: path, Err: err}
	}
	made, err := net.FileConn(file)
	if err != nil {
		return nil, err
	}
	return made.(*net.UnixConn), nil
}

// connectBefore connects a blocking socket. A queue that stays full is one that is not served:
// ETIMEDOUT.
func connectBefore(fd int, path string, deadline time.Time) error {
	for {
		left := time.Until(deadline)
		if left < time.Microsecond {
			left = time.Microsecond // 0 would be for ever.
		}
		limit := syscall.NsecToTimeval(left.Nanoseconds())
		if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &limit); err != nil {
			return err
		}
		err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
		// Go's scheduler sends signals to threads that take long.
		if err == syscall.EINTR && time.Now().Before(deadline) {
			continue
		}
		if err == syscall.EAGAIN || err == syscall.EINTR {
			return syscall.ETIMEDOUT
		}
		return err
	}
}

func dial(path string, timeout time.Duration) (*connection, error) {
	socket, err := connectTo(path, time.Now().Add(timeout))
	if err != nil {
		return nil, fmt.Errorf("memcgnotify: is evictd running? %w", err)
	}
	c := &connection{socket: socket, timeout: timeout}
	hello := make([]byte, helloSize)
	native.PutUint32(hello[16:], wireVersion)
	reply, err := c.ask(typeHello, hello, nil, helloReplySize)
	if err == nil && native.Uint32(reply[20:]) != wireVersion {
		err = syscall.EPROTONOSUPPORT
	}
	if err != nil {
		socket.Close()
		return nil, fmt.Errorf("memcgnotify: greet evictd: %w", err)
	}
	return c, nil
}

// ask sends one request, whose header it fills in, and returns the whole reply. Its error is a
// syscall.Errno if evictd refused, else it wraps errGone and the connection is of no more use.
func (c *connection) ask(kind uint32, request []byte, files []int, replySize int) ([]byte, error) {
	c.last++
	native.PutUint32(request[0:], wireMagic)
	native.PutUint32(request[4:], kind)
	native.PutUint64(request[8:], c.last)
	var rights []byte
	if len(files) > 0 {
		rights = syscall.UnixRights(files...)
	}
	if err := c.socket.SetDeadline(time.Now().Add(c.timeout)); err != nil {
		return nil, fmt.Errorf("%w: %v", errGone, err)
	}
	if _, _, err := c.socket.WriteMsgUnix(request, rights, nil); err != nil {
		return nil, fmt.Errorf("%w: %v", errGone, err)
	}
	reply := make([]byte, replySize+1)
	size, err := c.socket.Read(reply)
	if err != nil || size == 0 {
		return nil, fmt.Errorf("%w: %v", errGone, err)
	}
	if size < headSize || native.Uint32(reply[0:]) != wireMagic ||
		native.Uint32(reply[4:]) != kind|wireReply || native.Uint64(reply[8:]) != c.last {
		return nil, fmt.Errorf("%w: its answer is to something else", errGone)
	}
	if refusal := int32(native.Uint32(reply[16:])); refusal != 0 {
		return nil, syscall.Errno(refusal)
	}
	if size != replySize {
		return nil, fmt.Errorf("%w: its answer has %d bytes, not %d", errGone, size, replySize)
	}
	return reply[:size], nil
}

// register returns evictd's number of the registration.
func (c *connection) register(watch Watch, eventfd int, cgroup *os.File) (uint64, error) {
	request := make([]byte, registerSize)
	native.PutUint32(request[16:], uint32(watch.Signal))
	native.PutUint32(request[20:], uint32(watch.Unit))
	native.PutUint32(request[24:], uint32(watch.Direction))
	native.PutUint32(request[28:], uint32(watch.Mode))
	native.PutUint64(request[32:], watch.Threshold)
	native.PutUint64(request[40:], watch.Hysteresis)
	native.PutUint32(request[48:], uint32(eventfd))
	reply, err := c.ask(typeRegister, request, []int{eventfd, int(cgroup.Fd())}, registerReplySize)
	if err != nil {
		return 0, err
	}
	return native.Uint64(reply[24:]), nil
}

func (c *connection) unregister(registration uint64) error {
	request := make([]byte, unregisterSize)
	native.PutUint64(request[16:], registration)
	_, err := c.ask(typeUnregister, request, nil, unregisterReplySize)
	return err
}

// awaitEnd returns when the connection has ended: evictd sends nothing unasked, so there is nothing
// else to read. For use while nobody asks.
func (c *connection) awaitEnd() {
	if err := c.socket.SetDeadline(time.Time{}); err != nil {
		return
	}
	_, _ = c.socket.Read(make([]byte, 1))
}
