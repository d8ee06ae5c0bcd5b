import { OverworldError } from '#shared/errors/overworld-error.ts';
import { ToolProblem, type NodeTool, type ToolCall } from './node-tool.ts';

/** Base class for the parts of the runtime that call the node tool. */
export class NodeCalls {
  protected readonly node: string;
  protected readonly tool: NodeTool;

  constructor(node: string, tool: NodeTool) {
    this.node = node;
    this.tool = tool;
  }

  /** Calls the tool. @throws OverworldError NODE_TOOL_FAILED if it reports a problem, and as {@link NodeTool.call} */
  protected async call<T>(call: ToolCall<T>): Promise<T> {
    try {
      return await this.tool.call(call);
    } catch (error) {
      throw this.converted(call.what, error);
    }
  }

  /**
   * Converts a problem of the tool to NODE_TOOL_FAILED. Returns any other error unchanged.
   *
   * @param what description of the call
   */
  protected converted(what: string, error: unknown): unknown {
    return error instanceof ToolProblem ? this.failed(what, error.message, error) : error;
  }

  /** Returns the error for a failed call. @param what description of the call, as `what` in {@link ToolCall} */
  protected failed(what: string, why: string, cause?: unknown): OverworldError {
    return new OverworldError('NODE_TOOL_FAILED', { node: this.node, what, why }, cause);
  }
}
