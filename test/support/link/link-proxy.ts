import { randomUUID } from 'node:crypto';
import type { Session } from '#shared/link/messages.ts';
import type { HandOver } from '#master/link/link.ts';
import { LinkClient, type LinkClientOptions } from './link-client.ts';

/**
 * Proxy that follows the slot rules over a real link: it admits players while it has free slots, requests more slots,
 * and returns unused slots. Like the plugin, it keeps its slots when the connection closes.
 */
export class LinkProxy {
  readonly id: string;
  readonly sessions = new Map<string, Session>();
  held = 0;
  client: LinkClient | null = null;
  #logging = 0;
  #request = 0;
  readonly #waiting: { readonly id: number; readonly done: (isIn: boolean) => void }[] = [];

  constructor(id: string) {
    this.id = id;
  }

  get taken(): number {
    return this.sessions.size + this.#logging;
  }

  /** Connects to the master and reports its players. */
  async link(handOver: HandOver, options: Partial<LinkClientOptions> = {}): Promise<LinkClient> {
    const client = await LinkClient.connect({ ...handOver, ...options, allowance: this.held, greets: false });
    this.client = client;
    client.on((message) => {
      if (message.type === 'allow') this.#allow(message);
      if (message.type === 'kick') this.leave(message.uuid);
    });
    client.greet();
    await client.next('welcome');
    const all = [...this.sessions.values()];
    for (let from = 0; from === 0 || from < all.length; from += 500) {
      client.send({ type: 'players', players: all.slice(from, from + 500), done: from + 500 >= all.length });
    }
    return client;
  }

  unlink(): void {
    this.client?.close();
    this.client = null;
    for (const { done } of this.#waiting.splice(0)) done(false);
  }

  /**
   * Tries to join as a player.
   *
   * @returns whether the player was admitted
   */
  async join(session: Partial<Session> = {}): Promise<boolean> {
    const isIn = await this.#login();
    if (isIn) {
      this.#logging -= 1;
      this.enter(session);
    }
    return isIn;
  }

  /**
   * Adds a player without checking the limit.
   *
   * @returns the player's UUID
   */
  enter(session: Partial<Session> = {}, beyond = false): string {
    const player = { uuid: randomUUID(), name: 'Steve', server: null, since: Date.now(), ...session };
    this.sessions.set(player.uuid, player);
    this.client?.send({ type: 'joined', player, beyond });
    return player.uuid;
  }

  switch(uuid: string, server: string | null): void {
    const session = this.sessions.get(uuid);
    if (session === undefined) return;
    this.sessions.set(uuid, { ...session, server });
    this.client?.send({ type: 'switched', uuid, server });
  }

  leave(uuid: string): void {
    if (this.sessions.delete(uuid)) this.client?.send({ type: 'left', uuid });
    this.#letInWaiting();
  }

  #login(): Promise<boolean> {
    if (this.#waiting.length === 0 && this.taken < this.held) {
      this.#logging += 1;
      return Promise.resolve(true);
    }
    const { client } = this;
    if (client === null) return Promise.resolve(false);
    this.#request += 1;
    const id = this.#request;
    return new Promise((done) => {
      this.#waiting.push({ id, done });
      client.send({ type: 'more', id, wanted: 1 });
    });
  }

  #allow({ seq, allowance, answers }: { seq: number; allowance: number; answers: number | null }): void {
    this.held = allowance >= this.held ? allowance : Math.min(this.held, Math.max(allowance, this.taken));
    this.#letInWaiting();
    this.client?.send({ type: 'allowance', seq, allowance: this.held, used: this.taken });
    const at = this.#waiting.findIndex(({ id }) => id === answers);
    if (at >= 0) this.#waiting.splice(at, 1)[0]?.done(false);
  }

  #letInWaiting(): void {
    while (this.taken < this.held) {
      const first = this.#waiting.shift();
      if (first === undefined) return;
      this.#logging += 1;
      first.done(true);
    }
  }
}
