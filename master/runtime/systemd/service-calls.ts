import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { z } from 'zod';
import { stopCommandsOf } from '../stop-commands.ts';
import { ToolProblem, type NodeTool, type ToolCall } from './node-tool.ts';
import {
  doneAnswer,
  forgetAnswer,
  observeAnswer,
  serviceAnswer,
  stopAnswer,
  type ServiceAnswer,
} from './tool-answers.ts';

/** Time limit of a stop in addition to its grace period (ms); covers 5 s until KILL and the time to detect the end. */
const STOP_EXTRA_MS = 60_000;

/** Calls of the node tool that concern services; converts their problems to the runtime's errors. */
export class ServiceCalls {
  readonly #node: string;
  readonly #tool: NodeTool;

  constructor(node: string, tool: NodeTool) {
    this.#node = node;
    this.#tool = tool;
  }

  observe(): Promise<z.infer<typeof observeAnswer>> {
    return this.#call({
      command: 'observe',
      what: 'look at its services',
      request: {},
      answer: observeAnswer,
    });
  }

  /** @throws OverworldError JAVA_MISSING, PREPARE_FAILED */
  async start(id: ServiceId): Promise<ServiceAnswer> {
    const call = { command: 'start', what: `start ${id}`, request: { id }, answer: serviceAnswer };
    try {
      return await this.#tool.call(call);
    } catch (error) {
      if (!(error instanceof ToolProblem)) throw error;
      if (error.kind === 'no-java') {
        throw new OverworldError('JAVA_MISSING', { looked: error.message.split(', ') }, error);
      }
      const again = error.kind === 'has-run' ? '; it must be prepared again' : '';
      throw new OverworldError('PREPARE_FAILED', { service: id, why: `${error.message}${again}` }, error);
    }
  }

  /** Resolves when all its processes have exited. @param options.ask whether to send its stop command first */
  stop(
    id: ServiceId,
    { graceMs, ask }: { readonly graceMs: number; readonly ask: boolean },
  ): Promise<z.infer<typeof stopAnswer>> {
    return this.#call({
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

  /** @throws OverworldError SERVICE_NOT_FOUND, CONSOLE_BLOCKED */
  async command(id: ServiceId, line: string): Promise<void> {
    const call = { command: 'command', what: `write to ${id}`, request: { id, line }, answer: doneAnswer };
    try {
      await this.#call(call);
    } catch (error) {
      const kind =
        hasCode(error, 'NODE_TOOL_FAILED') && error.cause instanceof ToolProblem ? error.cause.kind : null;
      if (kind === 'no-process') throw new OverworldError('SERVICE_NOT_FOUND', { service: id }, error);
      if (kind === 'console-blocked') throw new OverworldError('CONSOLE_BLOCKED', { service: id }, error);
      throw error;
    }
  }

  /** @returns false if the service is running and was therefore not removed */
  async forget(id: ServiceId): Promise<boolean> {
    const call = {
      command: 'forget',
      what: `remove what is left of ${id}`,
      request: { id },
      answer: forgetAnswer,
    };
    return (await this.#call(call)).removed;
  }

  async sweep(): Promise<void> {
    await this.#call({ command: 'sweep', what: 'tidy its services', request: {}, answer: doneAnswer });
  }

  async #call<T>(call: ToolCall<T>): Promise<T> {
    try {
      return await this.#tool.call(call);
    } catch (error) {
      if (!(error instanceof ToolProblem)) throw error;
      const { what } = call;
      throw new OverworldError('NODE_TOOL_FAILED', { node: this.#node, what, why: error.message }, error);
    }
  }
}
