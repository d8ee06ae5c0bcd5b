import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { takePackets } from './wire.ts';

/** One end of a connection. The test itself reads and writes each packet. */
export class PacketSocket {
  /** All received packets without their lengths, oldest first. */
  readonly packets: Buffer[] = [];
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const { packets, rest } = takePackets(Buffer.concat([this.#rest, chunk]));
      this.packets.push(...packets);
      this.#rest = rest;
    });
  }

  static async connect(port: number): Promise<PacketSocket> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new PacketSocket(socket);
  }

  /** Returns whether this packet was received. `bytes` do not contain the packet's length. */
  received(bytes: Buffer): boolean {
    return this.packets.some((packet) => packet.equals(bytes));
  }

  /** Returns whether a packet with this text was received. */
  hasRead(text: string): boolean {
    return this.packets.some((packet) => packet.includes(text));
  }

  /** Sends packets. `frames` contain the packets' lengths. */
  send(...frames: readonly Buffer[]): void {
    this.#socket.write(Buffer.concat(frames));
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Server on which the test itself reads and writes each packet of each connection. */
export class PacketServer {
  readonly port: number;
  /** All connections, oldest first, including closed ones. */
  readonly connections: PacketSocket[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** @param greet called for each new connection */
  static async start(greet: (connection: PacketSocket) => void = () => undefined): Promise<PacketServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const started = new PacketServer(server);
    server.on('connection', (socket) => {
      const connection = new PacketSocket(socket);
      started.connections.push(connection);
      greet(connection);
    });
    return started;
  }

  close(): void {
    this.#server.close();
    for (const connection of this.connections) connection.close();
  }
}
