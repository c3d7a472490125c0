// SPDX-License-Identifier: Apache-2.0

package memcgnotify

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// fakeServer answers as evictd does, and fires when the test says so.
type fakeServer struct {
	path     string
	listener *net.UnixListener
	// registered gets the request of each registration, with what is needed to fire it.
	registered chan registered
	// refusal answers every registration, 0 for none.
	refusal syscall.Errno

	mutex       sync.Mutex
	connections []*net.UnixConn
}

type registered struct {
	request []byte
	eventfd *os.File
}

func (r registered) fire(t *testing.T) {
	t.Helper()
	one := make([]byte, 8)
	native.PutUint64(one, 1)
	if _, err := r.eventfd.Write(one); err != nil {
		t.Fatal(err)
	}
}

func startServer(t *testing.T, path string, refusal syscall.Errno) *fakeServer {
	t.Helper()
	// As evictd does: whoever sees the file appear can connect.
	listener, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path + ".new", Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return serveOn(t, path, listener, refusal)
}

func serveOn(t *testing.T, path string, listener *net.UnixListener, refusal syscall.Errno) *fakeServer {
	t.Helper()
	s := &fakeServer{path: path, listener: listener, registered: make(chan registered, 16), refusal: refusal}
	go func() {
		for {
			connection, err := listener.AcceptUnix()
			if err != nil {
				return
			}
			s.mutex.Lock()
			s.connections = append(s.connections, connection)
			s.mutex.Unlock()
			go s.serve(connection)
		}
	}()
	t.Cleanup(s.kill)
	return s
}

// end is an orderly one: the socket is gone.
func (s *fakeServer) end() {
	os.Remove(s.path)
	s.kill()
}

// kill leaves the socket behind.
func (s *fakeServer) kill() {
	s.listener.Close()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, connection := range s.connections {
		connection.Close()
	}
	s.connections = nil
}

func (s *fakeServer) serve(connection *net.UnixConn) {
	for {
		request := make([]byte, 128)
		rights := make([]byte, syscall.CmsgSpace(8))
		size, rightsSize, _, _, err := connection.ReadMsgUnix(request, rights)
		if err != nil || size == 0 {
			return
		}
		request = request[:size]
		var reply []byte
		switch native.Uint32(request[4:]) {
		case typeHello:
			reply = make([]byte, helloReplySize)
			native.PutUint32(reply[20:], wireVersion)
		case typeRegister:
			reply = make([]byte, registerReplySize)
			native.PutUint32(reply[16:], uint32(s.refusal))
			native.PutUint64(reply[24:], 7)
			messages, err := syscall.ParseSocketControlMessage(rights[:rightsSize])
			if err != nil || len(messages) != 1 {
				return
			}
			files, err := syscall.ParseUnixRights(&messages[0])
			if err != nil || len(files) != 2 {
				return
			}
			syscall.Close(files[1])
			if s.refusal == 0 {
				defer func(r registered) { r.eventfd.Close() }(s.keep(request, files[0]))
			}
		default:
			return
		}
		copy(reply, request[:16])
		native.PutUint32(reply[4:], native.Uint32(request[4:])|wireReply)
		if _, err := connection.Write(reply); err != nil {
			return
		}
	}
}

func (s *fakeServer) keep(request []byte, eventfd int) registered {
	kept := registered{request, os.NewFile(uintptr(eventfd), "eventfd")}
	s.registered <- kept
	return kept
}

const patience = 30 * time.Second

// never is when what no event tells of is tried again.
const never = time.Hour

func await(t *testing.T, events <-chan struct{}) {
	t.Helper()
	select {
	case <-events:
	case <-time.After(patience):
		t.Fatal("no event")
	}
}

func awaitRegistration(t *testing.T, s *fakeServer) registered {
	t.Helper()
	select {
	case r := <-s.registered:
		return r
	case <-time.After(patience):
		t.Fatal("no registration")
		return registered{}
	}
}

func newNotifier(t *testing.T, socket string, watch Watch) *Notifier {
	t.Helper()
	notifier, err := NewWatch(t.TempDir(), watch, Options{Socket: socket, Retry: never})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(notifier.Stop)
	return notifier
}

func TestAnEventIsSentForEachCrossing(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	server := startServer(t, socket, 0)
	notifier := newNotifier(t, socket, Watch{Threshold: 1 << 20})
	events := make(chan struct{})
	go notifier.Start(events)
	r := awaitRegistration(t, server)
	for i := 0; i < 3; i++ {
		r.fire(t)
		await(t, events)
	}
}

func TestCrossingsWhileTheReceiverIsBusyAreNotLost(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	server := startServer(t, socket, 0)
	notifier := newNotifier(t, socket, Watch{Threshold: 1 << 20})
	r := awaitRegistration(t, server)
	r.fire(t)
	r.fire(t)
	events := make(chan struct{})
	go notifier.Start(events)
	await(t, events)
}

func TestTheServerIsToldEverything(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	server := startServer(t, socket, 0)
	newNotifier(t, socket, Watch{Signal: MemSW, Unit: OfLimit, Direction: Down, Threshold: 900000, Hysteresis: 10000})
	request := awaitRegistration(t, server).request
	if len(request) != registerSize {
		t.Fatalf("%d bytes", len(request))
	}
	for offset, wanted := range map[int]uint32{16: 1, 20: 1, 24: 2, 28: 0, 52: 0} {
		if got := native.Uint32(request[offset:]); got != wanted {
			t.Errorf("at %d: %d, not %d", offset, got, wanted)
		}
	}
	if native.Uint64(request[32:]) != 900000 || native.Uint64(request[40:]) != 10000 {
		t.Error("threshold and hysteresis")
	}
}

// restart has the server end in a way, and another one start; the Notifier must find it.
func restart(t *testing.T, socket string, end func(*fakeServer), before func()) {
	t.Helper()
	server := startServer(t, socket, 0)
	notifier := newNotifier(t, socket, Watch{Threshold: 1 << 20})
	events := make(chan struct{})
	go notifier.Start(events)
	awaitRegistration(t, server)
	end(server)
	before()
	second := startServer(t, socket, 0)
	await(t, events)
	r := awaitRegistration(t, second)
	r.fire(t)
	await(t, events)
}

func TestARestartRegistersAgainAndSendsOneEvent(t *testing.T) {
	restart(t, filepath.Join(t.TempDir(), "s"), (*fakeServer).end, func() {})
}

func TestASocketThatWasLeftBehindIsNotTheEnd(t *testing.T) {
	restart(t, filepath.Join(t.TempDir(), "s"), (*fakeServer).kill, func() {})
}

func TestTheSocketsDirectoriesMayGoAndComeBack(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "run", "evictd")
	makeDirectory := func() {
		if err := os.MkdirAll(directory, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	makeDirectory()
	restart(t, filepath.Join(directory, "s"), func(server *fakeServer) {
		server.end()
		if err := os.RemoveAll(filepath.Dir(directory)); err != nil {
			t.Fatal(err)
		}
	}, makeDirectory)
}

func TestWithoutInotifyTheSocketIsLookedForAgain(t *testing.T) {
	var none *pathWait
	stop := make(chan struct{})
	none.wait(time.Millisecond, stop)
	close(stop)
	none.wait(never, stop)
	if none.arm() == nil {
		t.Error("armed without inotify")
	}
	none.close()
}

func TestStopEndsStartAndTheRegistration(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	server := startServer(t, socket, 0)
	notifier := newNotifier(t, socket, Watch{Threshold: 1 << 20})
	awaitRegistration(t, server)
	ended := make(chan struct{})
	go func() {
		notifier.Start(make(chan struct{}))
		close(ended)
	}()
	notifier.Stop()
	await(t, ended)
	notifier.Stop()
}

func TestStopDoesNotWaitForAReceiver(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	server := startServer(t, socket, 0)
	notifier := newNotifier(t, socket, Watch{Threshold: 1 << 20})
	awaitRegistration(t, server).fire(t)
	ended := make(chan struct{})
	go func() {
		notifier.Start(make(chan struct{}))
		close(ended)
	}()
	notifier.Stop()
	await(t, ended)
}

func TestStopWhileEvictdIsGone(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	server := startServer(t, socket, 0)
	notifier := newNotifier(t, socket, Watch{Threshold: 1 << 20})
	awaitRegistration(t, server)
	server.end()
	notifier.Stop()
	notifier.Stop()
}

func TestARemovedCgroupIsTheEndAndOneEvent(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	server := startServer(t, socket, 0)
	notifier := newNotifier(t, socket, Watch{Threshold: 1 << 20})
	events := make(chan struct{})
	go notifier.Start(events)
	awaitRegistration(t, server)
	server.end()
	startServer(t, socket, syscall.ENODEV)
	await(t, events)
	notifier.done.Wait()
}

func TestRefusalsAreErrnos(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	startServer(t, socket, syscall.EDQUOT)
	_, err := NewWatch(t.TempDir(), Watch{}, Options{Socket: socket})
	if !errors.Is(err, syscall.EDQUOT) {
		t.Fatal(err)
	}
}

func TestNobodyThere(t *testing.T) {
	_, err := NewWatch(t.TempDir(), Watch{}, Options{Socket: filepath.Join(t.TempDir(), "none")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

func TestTheKubeletsArguments(t *testing.T) {
	if _, err := New(t.TempDir(), "cpu.shares", 1); err == nil {
		t.Error("another attribute")
	}
	if _, err := New(t.TempDir(), "memory.usage_in_bytes", -1); err == nil {
		t.Error("a negative threshold")
	}
}
