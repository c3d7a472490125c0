module evictd.dev/memcgnotify

go 1.19
