// SPDX-License-Identifier: Apache-2.0
// The functions of evictd/notify.h: the boundary to C.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "evictd/abi/notify_wire.h"
#include "evictd/notify.h"
#include "evictd/try.h"
#include "notify_client/client.h"
#include "notify_client/control_words.h"
#include "notify_client/in_process_client.h"
#include "notify_client/socket_client.h"

struct evictd_notify {
  std::unique_ptr<evictd::notify_client::Client> client;
};

namespace {

using evictd::Result;
using evictd::base::Fd;
using evictd::notify_client::Client;

template <typename Value>
int error_of(const Result<Value>& result) {
  return result ? 0 : result.error().sys_errno;
}

/// Runs `call`, which returns an errno value; no exception crosses into C.
template <typename Call>
int guarded(Call call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  } catch (...) {
    // No other exception is thrown on purpose.
    return EPROTO;
  }
}

template <typename Kind>
Result<std::unique_ptr<Client>> as_client(Result<std::unique_ptr<Kind>> made) {
  EVICTD_ASSIGN_OR_RETURN(std::unique_ptr<Client> client, std::move(made));
  return client;
}

Result<std::unique_ptr<Client>> make_client(const char* socket, unsigned int flags) {
  if ((flags & ~static_cast<unsigned int>(EVICTD_NOTIFY_IN_PROCESS)) != 0) {
    return evictd::fail_errno(EINVAL, "flags");
  }
  if (flags != 0) {
    return as_client(evictd::notify_client::InProcessClient::create());
  }
  return as_client(evictd::notify_client::SocketClient::create(
      socket != nullptr ? socket : EVICTD_NOTIFY_SOCKET, {}));
}

/// Registers with an open cgroup; takes ownership of its descriptor.
int add(evictd_notify& handle, Fd cgroup, const evictd_notify_watch& watch, int eventfd,
        uint64_t* id) {
  if (std::any_of(std::begin(watch.reserved), std::end(watch.reserved),
                  [](uint64_t word) { return word != 0; })) {
    return EINVAL;
  }
  const Result<std::uint64_t> added = handle.client->add(std::move(cgroup), watch, eventfd);
  if (added && id != nullptr) {
    *id = *added;
  }
  return error_of(added);
}

/// Registers with the cgroup at a path.
int add(evictd_notify& handle, const char* path, const evictd_notify_watch& watch, int eventfd,
        uint64_t* id) {
  Fd cgroup(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return cgroup ? add(handle, std::move(cgroup), watch, eventfd, id) : errno;
}

}  // namespace

int evictd_notify_open(const char* socket, unsigned int flags, evictd_notify** handle) {
  if (handle == nullptr) {
    return EFAULT;
  }
  return guarded([&] {
    auto made = std::make_unique<evictd_notify>();
    Result<std::unique_ptr<Client>> client = make_client(socket, flags);
    if (client) {
      made->client = std::move(*client);
      *handle = made.release();
    }
    return error_of(client);
  });
}

void evictd_notify_close(evictd_notify* handle) {
  const std::unique_ptr<evictd_notify> owned(handle);
}

int evictd_notify_register(evictd_notify* handle, const char* cgroup,
                           const evictd_notify_watch* watch, int eventfd, uint64_t* id) {
  if (handle == nullptr || cgroup == nullptr || watch == nullptr) {
    return EFAULT;
  }
  return guarded([&] { return add(*handle, cgroup, *watch, eventfd, id); });
}

int evictd_notify_register_at(evictd_notify* handle, int cgroup, const evictd_notify_watch* watch,
                              int eventfd, uint64_t* id) {
  if (handle == nullptr || watch == nullptr) {
    return EFAULT;
  }
  return guarded([&] {
    Fd duplicate(::fcntl(cgroup, F_DUPFD_CLOEXEC, 3));
    return duplicate ? add(*handle, std::move(duplicate), *watch, eventfd, id) : errno;
  });
}

int evictd_notify_register_control(evictd_notify* handle, const char* file, const char* arguments,
                                   int eventfd, uint64_t* id) {
  if (handle == nullptr || file == nullptr || arguments == nullptr) {
    return EFAULT;
  }
  return guarded([&] {
    const auto control = evictd::notify_client::parse_control_file(file);
    if (!control) {
      return error_of(control);
    }
    const auto watch = evictd::notify_client::parse_control_arguments(control->signal, arguments);
    return watch ? add(*handle, control->directory.c_str(), *watch, eventfd, id) : error_of(watch);
  });
}

int evictd_notify_unregister(evictd_notify* handle, uint64_t id) {
  if (handle == nullptr) {
    return EFAULT;
  }
  return guarded([&] { return error_of(handle->client->remove(id)); });
}

int evictd_notify_query(evictd_notify* handle, uint64_t id, evictd_notify_state* state) {
  if (handle == nullptr || state == nullptr) {
    return EFAULT;
  }
  return guarded([&] {
    const Result<evictd_notify_state> seen = handle->client->query(id);
    if (seen) {
      *state = *seen;
    }
    return error_of(seen);
  });
}

int evictd_notify_get_info(evictd_notify* handle, evictd_notify_info* info) {
  if (handle == nullptr || info == nullptr) {
    return EFAULT;
  }
  return guarded([&] {
    *info = handle->client->info();
    return 0;
  });
}
