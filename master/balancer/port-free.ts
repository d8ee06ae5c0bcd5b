import { createServer } from 'node:net';

/**
 * Reports whether HAProxy could listen on this TCP port on all IPv4 addresses. Tests it by listening for a moment. A
 * port for which this process lacks the permission counts as free, because HAProxy starts as root.
 */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'))
      .listen({ host: '0.0.0.0', port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
