import { Slots } from '#shared/node/slots.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { PersistentFile } from '#master/templates/revisions/manifest.ts';
import type { InteractiveCommand } from '#master/nodes/shell.ts';
import type { NodeTool } from '../node-tool.ts';
import type { SnapshotFiles } from '../../runtime.ts';
import { persistentPatterns } from '../../persistent-paths.ts';
import { SAVE_ALL, SAVE_OFF, type PauseRequest } from '../../saving-pause.ts';
import { NodeCalls } from '../node-calls.ts';
import { doneAnswer, takeAnswer } from '../tool-answers.ts';
import { ContentReceiver } from './content-receiver.ts';
import { receive, TRANSFER_LIMITS, type TransferLimits } from './receive.ts';
import { toToolRequest } from './pause-request.ts';
import { SnapshotListReader } from './snapshot-list-reader.ts';

/** Time limit for copying or hashing the changed files of a service (ms); large worlds on a slow disk take long. */
const LONG_CALL_MS = 600_000;

/**
 * Maximum number of transfers from one node at a time. If many of the node's services stop at once, further transfers
 * wait, so that template sync, consoles and observations of the node continue.
 */
const MAX_TRANSFERS = 2;

/** Calls of the node tool about snapshots of persistent files (tool/volumes). */
export class SnapshotCalls extends NodeCalls {
  readonly #limits: TransferLimits;
  readonly #transfers = new Slots(MAX_TRANSFERS);

  constructor(node: string, tool: NodeTool, limits = TRANSFER_LIMITS) {
    super(node, tool);
    this.#limits = limits;
  }

  /**
   * Makes a service also keep the files at these paths (`Runtime.addPersistentPaths`).
   *
   * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED, DISK_FULL
   */
  async addPaths(id: ServiceId, paths: readonly string[]): Promise<void> {
    await this.call({
      command: 'add_paths',
      what: `note which files of ${id} are kept`,
      request: { id, paths, patterns: persistentPatterns(paths) },
      answer: doneAnswer,
    });
  }

  /**
   * Takes a snapshot of a service's persistent files on the node (`Runtime.takeSnapshot`), within 10 min and the time
   * for the server's answers.
   *
   * @throws OverworldError NODE_UNREACHABLE if the connection is lost, NODE_TOOL_FAILED, DISK_FULL
   */
  async take(id: ServiceId, pause?: PauseRequest): Promise<boolean> {
    const what = `copy the files of ${id}`;
    const request = { id, pause: pause === undefined ? null : toToolRequest(pause) };
    const timeoutMs = LONG_CALL_MS + (pause === undefined ? 0 : SAVE_OFF.withinMs + SAVE_ALL.withinMs);
    const taken = await this.call({ command: 'take', what, request, answer: takeAnswer, timeoutMs });
    if (taken.pause !== null) pause?.ended(taken.pause);
    if (taken.problem !== null) throw this.converted(what, this.tool.refusal(taken.problem));
    return taken.found;
  }

  /**
   * Returns the files of the last snapshot with their hashes (`Runtime.readSnapshot`). Reads their contents within 10
   * min. Then the list is transferred within the limits of {@link TRANSFER_LIMITS}. The transfer has a channel of its
   * own, because the list may be long: a service decides how many files it has and what their names are.
   *
   * @throws OverworldError NODE_UNREACHABLE if the connection is lost, NODE_TOOL_FAILED
   */
  async read(id: ServiceId): Promise<SnapshotFiles> {
    const what = `read the files of ${id}`;
    const call = { command: 'read', what, request: { id }, answer: doneAnswer };
    await this.call({ ...call, timeoutMs: LONG_CALL_MS });
    const command = await this.tool.stream('send_list', { id });
    const reader = new SnapshotListReader();
    try {
      await receive(command, (chunk) => reader.add(chunk), this.#limits);
    } catch (error) {
      throw this.failed(what, messageOf(error), error);
    }
    return reader.list ?? this.#cutOff(id, what, command);
  }

  /** Ends the last snapshot (`Runtime.endSnapshot`). */
  async end(id: ServiceId, { stored }: { readonly stored: boolean }): Promise<void> {
    await this.call({
      command: 'end',
      what: `remove the copied files of ${id}`,
      request: { id, stored },
      answer: doneAnswer,
    });
  }

  /**
   * Transfers contents of the last snapshot into a folder, each under its hash, and verifies the hashes
   * (`Runtime.fetchSnapshot`). Sends no request if `files` is empty. Waits while {@link MAX_TRANSFERS} other
   * transfers are in progress. Fails if the transfer exceeds the limits of {@link TRANSFER_LIMITS}.
   *
   * @throws OverworldError NODE_UNREACHABLE if the connection is lost, NODE_TOOL_FAILED
   */
  async fetch(
    id: ServiceId,
    files: readonly Pick<PersistentFile, 'hash' | 'size'>[],
    folder: string,
  ): Promise<void> {
    if (files.length === 0) return;
    const release = await this.#transfers.acquire();
    try {
      await this.#transfer(id, files, folder);
    } finally {
      release();
    }
  }

  async #transfer(
    id: ServiceId,
    files: readonly Pick<PersistentFile, 'hash' | 'size'>[],
    folder: string,
  ): Promise<void> {
    const command = await this.tool.stream('send', { id, hashes: files.map(({ hash }) => hash) });
    const receiver = new ContentReceiver(files, folder);
    const what = `transfer the files of ${id}`;
    try {
      await receive(command, (chunk) => receiver.add(chunk), this.#limits);
      await receiver.end();
    } catch (error) {
      await receiver.cancel();
      throw this.failed(what, messageOf(error), error);
    }
    if (!receiver.isComplete) await this.#cutOff(id, what, command);
  }

  /** Always throws: the error contains the reason why the output of a command ended too early. */
  async #cutOff(id: ServiceId, what: string, command: InteractiveCommand): Promise<never> {
    const result = await command.ended;
    const why = result?.stderr.trim().split('\n').at(-1) ?? '';
    if (why !== '') throw this.failed(what, why);
    throw new OverworldError('NODE_UNREACHABLE', {
      node: this.node,
      why: `the connection was lost while the files of ${id} were transferred`,
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
