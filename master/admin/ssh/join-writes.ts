import type { Socket } from 'node:net';

/**
 * Combines the writes to a socket that happen in one iteration of the event loop. The SSH library writes each packet
 * in three or four pieces (length, content, MAC), and each piece would cause a system call and a TCP segment of its
 * own.
 *
 * The delay is short: the data is sent when the code that writes has finished, and at the latest with `end()`.
 */
export function joinWrites(socket: Socket): void {
  const write = socket.write.bind(socket);
  let joining = false;
  const leave = (): void => {
    joining = false;
    socket.uncork();
  };
  const joined = (...args: Parameters<typeof write>): boolean => {
    if (!joining) {
      joining = true;
      socket.cork();
      process.nextTick(leave);
    }
    return write(...args);
  };
  // The type of `write` has one signature for each combination of arguments, so a cast is needed. All arguments are
  // passed on unchanged.
  socket.write = joined as Socket['write'];
}
