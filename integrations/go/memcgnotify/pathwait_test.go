// SPDX-License-Identifier: Apache-2.0

package memcgnotify

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// returned is closed once wait has.
func returned(w *pathWait) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		w.wait(0, nil)
		close(done)
	}()
	return done
}

func armed(t *testing.T, path string) *pathWait {
	t.Helper()
	w, err := newPathWait(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	if err := w.arm(); err != nil {
		t.Fatal(err)
	}
	return w
}

func put(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAFileThatIsMadeOrRenamedIsSeen(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "s")
	made := returned(armed(t, path))
	put(t, path)
	await(t, made)

	elsewhere := filepath.Join(t.TempDir(), "s")
	put(t, elsewhere)
	renamed := returned(armed(t, path))
	if err := os.Rename(elsewhere, path); err != nil {
		t.Fatal(err)
	}
	await(t, renamed)
}

func TestTheNearestDirectoryIsWatched(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a", "b", "s")
	w := armed(t, path)
	for _, step := range []func(){
		func() { os.Mkdir(filepath.Join(root, "a"), 0o755) },
		func() { os.Mkdir(filepath.Join(root, "a", "b"), 0o755) },
		func() { put(t, path) },
		func() { os.RemoveAll(filepath.Join(root, "a")) },
	} {
		seen := returned(w)
		step()
		await(t, seen)
		if err := w.arm(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatWasSeenBeforeIsForgotten(t *testing.T) {
	directory := t.TempDir()
	w := armed(t, filepath.Join(directory, "s"))
	put(t, filepath.Join(directory, "other"))
	if err := w.arm(); err != nil {
		t.Fatal(err)
	}
	err := control(w.inotify, func(fd int) error {
		_, err := syscall.Read(fd, make([]byte, 4096))
		return err
	})
	if err != syscall.EAGAIN {
		t.Fatalf("an event of before: %v", err)
	}
	seen := returned(w)
	put(t, filepath.Join(directory, "s"))
	await(t, seen)
}

func TestCloseEndsTheWaiting(t *testing.T) {
	w := armed(t, filepath.Join(t.TempDir(), "s"))
	seen := returned(w)
	w.close()
	await(t, seen)
	w.close()
}
