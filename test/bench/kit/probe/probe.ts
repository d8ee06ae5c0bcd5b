import { connect } from 'node:net';
import { join } from 'node:path';
import type { MasterProcess } from '#test/support/master/master-process.ts';

/** Times for which code had to wait for the event loop (ms). */
export interface Delays {
  readonly p99Ms: number;
  readonly longestMs: number;
}

export interface LoopDelays {
  /** Elapsed time. */
  readonly waited: Delays;
  /**
   * Part of the elapsed time in which the master itself used the CPU, so that other programs on the machine do not
   * count.
   */
  readonly computed: Delays;
}

/** Memory of the master after a garbage collection (bytes). */
export interface CollectedMemory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly arrayBuffers: number;
}

/**
 * Measures values inside a master process that are not visible from outside: the delay of its event loop, and its
 * memory without garbage. The master has no interface for these values, so the probe (`inside.mjs`) is loaded before
 * the master.
 */
export class MasterProbe {
  readonly #path: string;

  /** Prepares the next start of the master. */
  constructor(master: MasterProcess) {
    this.#path = join(master.data, 'bench-probe.sock');
    const inside = new URL('./inside.mjs', import.meta.url).href;
    master.environment = { NODE_OPTIONS: `--import=${inside}`, OVERWORLD_BENCH_PROBE: this.#path };
  }

  /** Discards all delays so far. */
  async reset(): Promise<void> {
    await this.#ask('reset');
  }

  /** Returns the delays since the last reset. */
  async read(): Promise<LoopDelays> {
    return (await this.#ask('read')) as LoopDelays;
  }

  /** Collects all garbage, and returns the memory after it. */
  async collect(): Promise<CollectedMemory> {
    return (await this.#ask('collect')) as CollectedMemory;
  }

  #ask(question: 'reset' | 'read' | 'collect'): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#path, () => socket.write(question));
      let answer = '';
      socket.setEncoding('utf8');
      socket.on('data', (text: string) => (answer += text));
      socket.on('error', reject);
      // Not validated, because `inside.mjs` wrote the answer.
      socket.on('end', () => resolve(JSON.parse(answer)));
    });
  }
}
