import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { z } from 'zod';
import type { HandOverFile, HandOverRefresh } from '../runtime.ts';
import { stopCommandsOf } from '../stop-commands.ts';
import { NodeCalls } from './node-calls.ts';
import { ToolProblem } from './node-tool.ts';
import {
  doneAnswer,
  forgetAnswer,
  handOverAnswer,
  observeAnswer,
  serviceAnswer,
  stopAnswer,
  type ServiceAnswer,
} from './tool-answers.ts';

/**
 * Time limit of a stop in addition to its grace period (ms). It covers 5 s until KILL and the time to detect the
 * exit.
 */
const STOP_EXTRA_MS = 60_000;

/** Calls of the node tool that concern services. Converts problems of the tool to the runtime's errors. */
export class ServiceCalls extends NodeCalls {
  /** Returns all services on the node, running or not. @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED */
  observe(): Promise<z.infer<typeof observeAnswer>> {
    return this.call({
      command: 'observe',
      what: 'list its services',
      request: {},
      answer: observeAnswer,
    });
  }

  /**
   * Starts a prepared service on the node.
   *
   * @throws OverworldError JAVA_MISSING, PREPARE_FAILED, NODE_UNREACHABLE, NODE_TOOL_FAILED
   */
  async start(id: ServiceId): Promise<ServiceAnswer> {
    const call = { command: 'start', what: `start ${id}`, request: { id }, answer: serviceAnswer };
    try {
      return await this.tool.call(call);
    } catch (error) {
      if (!(error instanceof ToolProblem)) throw error;
      if (error.kind === 'no-java') {
        throw new OverworldError('JAVA_MISSING', { looked: error.message.split(', ') }, error);
      }
      const again = error.kind === 'has-run' ? '; it must be prepared again' : '';
      throw new OverworldError('PREPARE_FAILED', { service: id, why: `${error.message}${again}` }, error);
    }
  }

  /**
   * Stops a service. Resolves when all processes of the service have exited.
   *
   * @param options.graceMs time for the server to exit on its own before TERM (ms); 0 means KILL immediately
   * @param options.ask whether to send the stop commands to the server's console first
   * @throws OverworldError NODE_UNREACHABLE, also if the service has not exited 60 s after `graceMs`;
   *   NODE_TOOL_FAILED
   */
  stop(
    id: ServiceId,
    { graceMs, ask }: { readonly graceMs: number; readonly ask: boolean },
  ): Promise<z.infer<typeof stopAnswer>> {
    return this.call({
      command: 'stop',
      what: `stop ${id}`,
      request: {
        id,
        graceMs,
        commands: {
          game: ask ? stopCommandsOf({ isProxy: false }) : [],
          proxy: ask ? stopCommandsOf({ isProxy: true }) : [],
        },
      },
      answer: stopAnswer,
      timeoutMs: graceMs + STOP_EXTRA_MS,
    });
  }

  /**
   * Writes one line to a service's console.
   *
   * @throws OverworldError SERVICE_NOT_FOUND, CONSOLE_BLOCKED, NODE_UNREACHABLE, NODE_TOOL_FAILED
   */
  async command(id: ServiceId, line: string): Promise<void> {
    const call = { command: 'command', what: `write to ${id}`, request: { id, line }, answer: doneAnswer };
    try {
      await this.call(call);
    } catch (error) {
      const kind =
        hasCode(error, 'NODE_TOOL_FAILED') && error.cause instanceof ToolProblem ? error.cause.kind : null;
      if (kind === 'no-process') throw new OverworldError('SERVICE_NOT_FOUND', { service: id }, error);
      if (kind === 'console-blocked') throw new OverworldError('CONSOLE_BLOCKED', { service: id }, error);
      throw error;
    }
  }

  /**
   * Removes an exited service from the node.
   *
   * @returns false if the service is running and was therefore not removed
   * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED
   */
  async forget(id: ServiceId): Promise<boolean> {
    const call = {
      command: 'forget',
      what: `remove the files of ${id}`,
      request: { id },
      answer: forgetAnswer,
    };
    return (await this.call(call)).removed;
  }

  /**
   * Replaces the hand-over files of services on the node if their content differs (`Runtime.refreshHandOver`).
   *
   * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED
   */
  refreshHandOver(files: readonly HandOverFile[]): Promise<HandOverRefresh> {
    return this.call({
      command: 'refresh_hand_over',
      what: "give its services the master's address",
      request: {
        name: HAND_OVER_FILE,
        files: files.map(({ id, content }) => ({ id, text: content.toString('latin1') })),
      },
      answer: handOverAnswer,
    });
  }

  /**
   * Removes services from the node that were prepared but never started.
   *
   * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED
   */
  async sweep(): Promise<void> {
    await this.call({ command: 'sweep', what: 'clean up its services', request: {}, answer: doneAnswer });
  }
}
