// What a page sends through its socket must be masked [RFC 6455, section 5.1]: a frame that is not ends the connection.
// libwebsockets does not look; it reads sockets by recv(), which server_masks.c takes the place of.
#ifndef CLI_SERVER_MASKS_H
#define CLI_SERVER_MASKS_H

#include <stdbool.h>

/// A connection begins, as HTTP.
void cli_masks_open(int fd, const void* owner);
/// From here on it sends frames. False if bytes came behind its request, before the answer: no browser does that.
bool cli_masks_upgrade(int fd);
/// It ends.
void cli_masks_close(const void* owner);

#endif
