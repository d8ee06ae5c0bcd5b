import type { Socket } from 'node:net';

/**
 * Lets what is written to a socket in one go leave in one go. The SSH library hands over each packet in three or four
 * pieces (length, content, MAC), and each was a call to the system and a segment of its own.
 *
 * Nothing waits for more to come: what was written leaves when the code that wrote it is done, at the latest with
 * `end()`.
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
  // The type has one signature for each way to leave arguments out; all of them are handed on as they are.
  socket.write = joined as Socket['write'];
}
