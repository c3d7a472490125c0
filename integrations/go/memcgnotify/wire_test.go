// SPDX-License-Identifier: Apache-2.0

package memcgnotify

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// listenWithFullQueue returns a listener in whose queue there is no place until it accepts.
func listenWithFullQueue(t *testing.T, path string) *net.UnixListener {
	t.Helper()
	address := &syscall.SockaddrUnix{Name: path}
	fd := newSocket(t, 0)
	if err := syscall.Bind(fd, address); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	for {
		client := newSocket(t, syscall.SOCK_NONBLOCK)
		t.Cleanup(func() { syscall.Close(client) })
		err := syscall.Connect(client, address)
		if err == syscall.EAGAIN {
			return listener.(*net.UnixListener)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func newSocket(t *testing.T, flags int) int {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC|flags, 0)
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

func TestAQueueThatStaysFullIsATimeout(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	listenWithFullQueue(t, socket)
	_, err := dial(socket, 10*time.Millisecond)
	if !errors.Is(err, syscall.ETIMEDOUT) {
		t.Fatalf("not a timeout: %v", err)
	}
}

func TestAPlaceInAFullQueueIsWaitedFor(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	listener := listenWithFullQueue(t, socket)
	dialled := make(chan error, 1)
	go func() {
		c, err := dial(socket, patience)
		if err == nil {
			c.socket.Close()
		}
		dialled <- err
	}()
	serveOn(t, socket, listener, 0)
	if err := <-dialled; err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNotThereIsToldAsSuch(t *testing.T) {
	if _, err := dial(filepath.Join(t.TempDir(), "s"), patience); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("not \"does not exist\": %v", err)
	}
}
