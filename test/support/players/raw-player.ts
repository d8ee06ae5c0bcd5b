import { connect, type Socket } from 'node:net';
import { loginBytes, packetFrame, takePackets } from './wire.ts';

/** Packet IDs of Minecraft 1.8 (protocol 47). */
const LOGIN_DISCONNECT = 0x00;
const LOGIN_SUCCESS = 0x02;
const JOIN_GAME = 0x01;
const KEEP_ALIVE = 0x00;
const DISCONNECT = 0x40;

/**
 * Minimal player on a TCP connection, for crowds and for measurements of time. A complete client would distort these
 * measurements.
 */
export class RawPlayer {
  readonly name: string;
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #isPlaying = false;
  #joined: (() => void) | null = null;
  #failed: ((error: Error) => void) | null = null;

  private constructor(name: string, socket: Socket) {
    this.name = name;
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', () => this.#failed?.(new Error(`${name}: the connection ended`)));
  }

  /**
   * Joins with Minecraft 1.8.
   *
   * @returns the player, once the game server has admitted the player to its world
   * @throws Error with the server's reason if the server refuses the player
   */
  static async join(port: number, name: string): Promise<RawPlayer> {
    const player = new RawPlayer(name, connect(port, '127.0.0.1'));
    await new Promise<void>((resolve, reject) => {
      player.#joined = resolve;
      player.#failed = reject;
      player.#socket.once('connect', () => player.#socket.write(loginBytes(name)));
    });
    return player;
  }

  /** Whether the connection is open. */
  get isOnline(): boolean {
    return !this.#socket.destroyed && !this.#socket.readableEnded;
  }

  /** Closes the connection. */
  leave(): void {
    this.#failed = null;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const { packets, rest } = takePackets(
      this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]),
    );
    this.#rest = rest;
    for (const packet of packets) this.#handle(packet);
  }

  #handle(packet: Buffer): void {
    const [id] = packet;
    if (this.#isPlaying) {
      if (id === JOIN_GAME) this.#joined?.();
      if (id === DISCONNECT)
        this.#failed?.(new Error(`${this.name} was sent away: ${packet.subarray(2).toString()}`));
      if (id === KEEP_ALIVE) this.#socket.write(packetFrame(KEEP_ALIVE, packet.subarray(1)));
    } else if (id === LOGIN_SUCCESS) {
      this.#isPlaying = true;
    } else if (id === LOGIN_DISCONNECT) {
      this.#failed?.(new Error(`${this.name} was refused: ${packet.subarray(2).toString()}`));
    }
  }
}
