import { Readable } from 'node:stream';
import { monotonicMs } from '#shared/node/clock.ts';
import { KeyedLock } from '../keyed-lock.ts';
import type { Layout, LayoutFile } from './layout.ts';
import { ToolProblem, type NodeTool } from './node-tool.ts';
import { tarStream } from './tar-stream.ts';
import { doneAnswer, wantAnswer } from './tool-answers.ts';

/** Time limit of a call in addition to the transfer time (ms). */
const BASE_TIMEOUT_MS = 120_000;
/** Minimum transfer rate assumed for the time limit (bytes per ms). */
const SLOWEST_BYTES_PER_MS = 256;

/**
 * Transfers layouts to one node. Services that need the same layout at the same time share one transfer. Files that
 * are already on the node from any revision or template are not sent.
 */
export class TemplateSync {
  readonly #tool: NodeTool;
  readonly #lock = new KeyedLock();
  /**
   * Time at which the last transfer was completed, by the id of its layout (ms, {@link monotonicMs}). A call for the
   * same layout that was waiting at that time needs no transfer of its own.
   */
  readonly #brought = new Map<string, number>();

  constructor(tool: NodeTool) {
    this.#tool = tool;
  }

  /**
   * Transfers a layout to the node. If the same layout is already being transferred, waits for that transfer and
   * sends nothing.
   *
   * @param template template of the layout, for the node's cache
   * @throws ToolProblem, SourceChanged, OverworldError as documented for {@link NodeTool.call}
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
      what: 'check the stored files of a template',
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
      // The node only reports that the stream ended early; the actual cause is the local error.
      if (error instanceof ToolProblem && failures.length > 0) throw failures[0];
      throw error;
    }
  }
}

/**
 * Yields a stream and ends it at its first error, so that the call that reads it does not fail. The error is added
 * to `failures`.
 */
async function* untilFailure(stream: AsyncIterable<Buffer>, failures: unknown[]): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    failures.push(error);
  }
}
