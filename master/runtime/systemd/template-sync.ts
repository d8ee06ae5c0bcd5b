import { Readable } from 'node:stream';
import { monotonicMs } from '#shared/node/clock.ts';
import { KeyedLock } from '../keyed-lock.ts';
import type { Layout, LayoutFile } from './layout.ts';
import { ToolProblem, type NodeTool } from './node-tool.ts';
import { tarStream } from './tar-stream.ts';
import { doneAnswer, wantAnswer } from './tool-answers.ts';

/** Time of a call beside what it sends, ms. */
const BASE_TIMEOUT_MS = 120_000;
/** Slower than this nobody has a server, bytes per ms. */
const SLOWEST_BYTES_PER_MS = 256;

/**
 * Brings layouts to one node. Five services that need the same one at once wait for one transfer; files that the node has
 * from any other revision or template are not sent.
 */
export class TemplateSync {
  readonly #tool: NodeTool;
  readonly #lock = new KeyedLock();
  /** Layouts that were brought since others began to wait for them: by id, the time by {@link monotonicMs}. */
  readonly #brought = new Map<string, number>();

  constructor(tool: NodeTool) {
    this.#tool = tool;
  }

  /**
   * Brings a layout to the node. Whoever asks while it is on its way waits for that, and sends nothing.
   *
   * @param template whose layout it is, for the node's cache
   * @throws ToolProblem, SourceChanged, OverworldError as {@link NodeTool.call}
   */
  bring(layout: Layout, template: string): Promise<void> {
    const askedAt = monotonicMs();
    return this.#lock.run(layout.id, async () => {
      if ((this.#brought.get(layout.id) ?? 0) > askedAt) return;
      await this.#send(layout, await this.#askMissing(layout, template));
      this.#brought.clear();
      this.#brought.set(layout.id, monotonicMs());
    });
  }

  async #askMissing(layout: Layout, template: string): Promise<readonly LayoutFile[]> {
    const { missing } = await this.#tool.call({
      command: 'want',
      what: 'look for the files of a template',
      answer: wantAnswer,
      request: {
        layout: layout.id,
        template,
        entries: layout.files.map(({ path, size, mode, hash }) => [path, size, mode, hash]),
      },
      timeoutMs: BASE_TIMEOUT_MS,
    });
    return missing.flatMap((index) => layout.files[index] ?? []);
  }

  async #send(layout: Layout, missing: readonly LayoutFile[]): Promise<void> {
    const bytes = missing.reduce((sum, { size }) => sum + size, 0);
    const files = missing.map(({ hash, size, source }) => ({ name: hash, size, source }));
    const failures: unknown[] = [];
    try {
      await this.#tool.call({
        command: 'store',
        what: 'store the files of a template',
        answer: doneAnswer,
        request: { layout: layout.id, files: files.length },
        ...(files.length === 0
          ? {}
          : { body: () => Readable.from(untilFailure(tarStream(files), failures)) }),
        timeoutMs: BASE_TIMEOUT_MS + bytes / SLOWEST_BYTES_PER_MS,
      });
    } catch (error) {
      // The node only sees that the stream ended too early.
      if (error instanceof ToolProblem && failures.length > 0) throw failures[0];
      throw error;
    }
  }
}

/** Ends a stream at its first error instead of breaking the call that it is the input of. */
async function* untilFailure(stream: AsyncIterable<Buffer>, failures: unknown[]): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    failures.push(error);
  }
}
