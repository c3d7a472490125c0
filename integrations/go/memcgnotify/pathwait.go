// SPDX-License-Identifier: Apache-2.0

package memcgnotify

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Of a directory: an entry comes, the directory goes, or who may look into it changes.
const pathChanges = syscall.IN_CREATE | syscall.IN_MOVED_TO | syscall.IN_ATTRIB |
	syscall.IN_DELETE_SELF | syscall.IN_MOVE_SELF | syscall.IN_ONLYDIR

// pathWait tells when a file may have appeared, whichever of the directories above it are there.
// All but close is for one goroutine.
type pathWait struct {
	path    string
	inotify *os.File
	watched int
}

func newPathWait(path string) (*pathWait, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("memcgnotify: %w", err)
	}
	// Not blocking, so that Go's poller waits for it and close ends the waiting.
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("memcgnotify: inotify: %w", err)
	}
	return &pathWait{path: absolute, inotify: os.NewFile(uintptr(fd), "inotify"), watched: -1}, nil
}

// watch looks at directory from now on.
func (w *pathWait) watch(directory string) error {
	return control(w.inotify, func(fd int) error {
		watched, err := syscall.InotifyAddWatch(fd, directory, pathChanges)
		if err == nil {
			w.watched = watched
		}
		return err
	})
}

// unwatch looks at nothing; what was seen stays to be read.
func (w *pathWait) unwatch() {
	if w.watched >= 0 {
		_ = control(w.inotify, func(fd int) error {
			// It fails where the directory is gone, and the watch with it.
			_, _ = syscall.InotifyRmWatch(fd, uint32(w.watched))
			return nil
		})
		w.watched = -1
	}
}

// drain takes what was seen so far.
func (w *pathWait) drain() {
	_ = control(w.inotify, func(fd int) error {
		buffer := make([]byte, 4096)
		for {
			if size, err := syscall.Read(fd, buffer); err != nil || size <= 0 {
				return nil
			}
		}
	})
}

// arm forgets what was seen and looks from now on at the nearest directory above the file that
// exists. What changes after this call makes wait return, so: arm, look, wait. Of nil it fails.
func (w *pathWait) arm() error {
	if w == nil {
		return os.ErrInvalid
	}
	w.unwatch()
	w.drain()
	// Upwards for the nearest directory; a deeper one made meanwhile would not be seen, so once more.
	for {
		below, directory := w.path, filepath.Dir(w.path)
		err := w.watch(directory)
		for errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) {
			if directory == "/" {
				break
			}
			below, directory = directory, filepath.Dir(directory)
			err = w.watch(directory)
		}
		if err != nil {
			return fmt.Errorf("memcgnotify: watch %s: %w", directory, err)
		}
		if below == w.path {
			return nil
		}
		if found, err := os.Stat(below); err != nil || !found.IsDir() {
			return nil
		}
		w.unwatch()
	}
}

// wait returns once the file, or one of the directories that lead to it, may have come or gone since
// arm, after limit (0: never), and at once after close. Of nil, which sees nothing and cannot be
// closed, it returns after limit and when stop is closed.
func (w *pathWait) wait(limit time.Duration, stop <-chan struct{}) {
	if w == nil {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		select {
		case <-stop:
		case <-timer.C:
		}
		return
	}
	deadline := time.Time{}
	if limit > 0 {
		deadline = time.Now().Add(limit)
	}
	if w.inotify.SetReadDeadline(deadline) == nil {
		_, _ = w.inotify.Read(make([]byte, 4096))
	}
}

// close ends wait. For any goroutine; of nil, and a second time, nothing.
func (w *pathWait) close() {
	if w != nil {
		w.inotify.Close()
	}
}
