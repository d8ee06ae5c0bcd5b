import { Readable } from 'node:stream';
import { z } from 'zod';
import { REMOTE_NODE, type NodeNames } from '#master/nodes/node-names.ts';
import type { InteractiveCommand, NodeShell, ShellResult } from '#master/nodes/shell.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { quote } from '#shared/text/shell.ts';
import { toolSource, type ToolSource } from './tool-source.ts';
import { ToolSessions } from './tool-sessions.ts';

/** Folder on a node with one subfolder per version of the tool. */
const TOOLS = '/usr/local/lib/overworld';
/** Command that runs Python without the node's own Python settings and packages, which also makes it start faster. */
const PYTHON = 'python3 -I -S';
/** Exit status of Python if the tool's folder does not exist. */
const NO_SUCH_FILE = 2;

const CALL_TIMEOUT_MS = 60_000;

/**
 * Maximum length of an error message from a node that is shown to users (characters). The text is limited because
 * the node is not trusted.
 */
const WHY_LENGTH = 500;

/**
 * Python program that installs the tool: writes the request's files to a new folder and moves it into place. An
 * existing folder is replaced.
 */
const INSTALL = `
import json, os, shutil, sys
os.umask(0o077)
request = json.load(sys.stdin)
folder = request['folder']
part = f'{folder}.{os.getpid()}.part'
os.makedirs(part)
try:
    for path, text in request['files'].items():
        os.makedirs(os.path.dirname(f'{part}/{path}'), exist_ok=True)
        with open(f'{part}/{path}', 'w', encoding='utf-8') as file:
            file.write(text)
    shutil.rmtree(folder, ignore_errors=True)
    os.chmod(os.path.dirname(folder), 0o755)
    os.rename(part, folder)
except BaseException:
    shutil.rmtree(part, ignore_errors=True)
    raise
`;

const problemKinds = [
  'alive',
  'busy',
  'changed',
  'console-blocked',
  'cut-off',
  'disk-full',
  'failed',
  'has-run',
  'layout-missing',
  'no-access',
  'no-file',
  'no-folder',
  'no-java',
  'no-port',
  'no-process',
  'not-prepared',
  'not-reserved',
  'not-started',
  'not-wanted',
  'unsaved',
] as const;

/** A refusal as the tool describes it (tool/problem.py). */
export const problemSchema = z.strictObject({
  kind: z.enum(problemKinds),
  why: z.string().transform(shortened),
});

const replySchema = z.union([
  z.strictObject({ answer: z.unknown() }),
  z.strictObject({ problem: problemSchema }),
]);

/** A refusal by the tool, with a code and a reason. The caller of the tool decides how to handle it. */
export class ToolProblem extends Error {
  readonly kind: (typeof problemKinds)[number];

  constructor(kind: ToolProblem['kind'], why: string) {
    super(why);
    this.kind = kind;
  }
}

/** One call of the tool: a command and its request. */
export interface ToolCall<T> {
  readonly command: string;
  readonly request: object;
  /** Schema of the answer. */
  readonly answer: z.ZodType<T>;
  /** What the call does, for error messages such as "it was not possible to …". */
  readonly what: string;
  /** Returns the stream that is sent after the request. Returns a new stream for each repetition of the request. */
  readonly body?: () => Readable;
  /** Time limit (ms); default 60,000. */
  readonly timeoutMs?: number;
}

export interface NodeToolOptions {
  /**
   * Whether to start Python only once per connection; {@link NodeTool.close} must then be called to terminate it.
   * Default: false.
   */
  readonly isCalledOften?: boolean;
  /** Names on the node; default {@link REMOTE_NODE}. */
  readonly names?: NodeNames | undefined;
}

/**
 * Calls the tool on one node. Each call starts a process there that exits after its answer (tool/__main__.py),
 * unless calls share a session.
 */
export class NodeTool {
  readonly #node: string;
  readonly #shell: NodeShell;
  readonly #source: ToolSource;
  readonly #sessions: ToolSessions | null;

  constructor(
    node: string,
    shell: NodeShell,
    { isCalledOften = false, names = REMOTE_NODE }: NodeToolOptions = {},
  ) {
    this.#node = node;
    this.#shell = shell;
    this.#source = toolSource(names);
    this.#sessions = isCalledOften
      ? new ToolSessions(() => shell.speak(`exec ${this.#commandLine('serve')}`))
      : null;
  }

  /**
   * Calls the tool. Installs it first if it is missing on the node. Takes at most `timeoutMs` (60 s by default).
   *
   * @throws ToolProblem if the tool refuses; OverworldError NODE_UNREACHABLE (also after `timeoutMs`; the outcome is
   *   unknown), DISK_FULL, NODE_TOOL_FAILED
   */
  async call<T>(call: ToolCall<T>): Promise<T> {
    // A call with a body needs its own channel.
    if (this.#sessions !== null && call.body === undefined) return this.#ask(call, this.#sessions);
    let result = await this.#run(call);
    if (this.#isMissing(result)) {
      await this.install();
      result = await this.#run(call);
    }
    return this.#read(result, call);
  }

  /**
   * Starts a command that answers with bytes. The caller reads them and closes the command. Does not install the
   * tool.
   *
   * @throws OverworldError NODE_UNREACHABLE
   */
  async stream(command: string, request: object): Promise<InteractiveCommand> {
    const running = await this.#shell.speak(`exec ${this.#commandLine(command)}`);
    // A command that has exited early is noticed when its answer ends.
    running.stdin.on('error', () => undefined);
    running.stdin.end(`${JSON.stringify(request)}\n`);
    return running;
  }

  /** Returns the error for a refusal: a ToolProblem, or an OverworldError DISK_FULL. */
  refusal({ kind, why }: z.infer<typeof problemSchema>): ToolProblem | OverworldError {
    if (kind === 'disk-full') return new OverworldError('DISK_FULL', { path: `${this.#node}:${why}` });
    return new ToolProblem(kind, why);
  }

  /** Closes the session. Calls in progress continue on the node, but their results are lost. */
  close(): void {
    this.#sessions?.close();
  }

  /**
   * Installs this master's version of the tool on the node. @throws OverworldError NODE_UNREACHABLE,
   * NODE_TOOL_FAILED
   */
  async install(): Promise<void> {
    const { version, files } = this.#source;
    const result = await this.#shell.run(`${PYTHON} -c ${quote(INSTALL)}`, {
      stdin: JSON.stringify({ folder: `${TOOLS}/${version}`, files }),
    });
    if (result.code !== 0) throw this.#failed('install its tool', lastWordsOf(result));
  }

  async #ask<T>(call: ToolCall<T>, sessions: ToolSessions): Promise<T> {
    const { command, request, what, timeoutMs = CALL_TIMEOUT_MS } = call;
    let said = await sessions.call({ command, request, timeoutMs });
    if (said.kind === 'ended' && this.#isMissing(said.result)) {
      await this.install();
      said = await sessions.call({ command, request, timeoutMs });
    }
    switch (said.kind) {
      case 'reply':
        return this.#parse(said.reply, call);
      case 'failed':
        throw this.#failed(what, said.why);
      case 'late':
        throw this.#unreachable(`a command did not finish within ${timeoutMs / 1000} s`);
      case 'ended':
        throw said.result === null
          ? this.#unreachable('the connection was lost')
          : this.#failed(what, lastWordsOf(said.result));
    }
  }

  #run({ command, request, body, timeoutMs }: ToolCall<unknown>): Promise<ShellResult> {
    const line = `${JSON.stringify(request)}\n`;
    return this.#shell.run(this.#commandLine(command), {
      stdin: body === undefined ? line : Readable.from(concatenated(line, body()), { objectMode: false }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  }

  #read<T>(result: ShellResult, call: ToolCall<T>): T {
    const reply = result.code === 0 ? parseJson(result.stdout) : undefined;
    if (reply === undefined) throw this.#failed(call.what, lastWordsOf(result));
    return this.#parse(reply, call);
  }

  #parse<T>(reply: unknown, { what, answer }: ToolCall<T>): T {
    const { data } = replySchema.safeParse(reply);
    if (data === undefined)
      throw this.#failed(what, `unexpected reply: ${JSON.stringify(reply).slice(0, 200)}`);
    if ('problem' in data) throw this.refusal(data.problem);
    const parsed = answer.safeParse(data.answer);
    if (parsed.success) return parsed.data;
    throw this.#failed(what, `unexpected answer: ${parsed.error.message}`);
  }

  #commandLine(command: string): string {
    return `${PYTHON} ${TOOLS}/${this.#source.version} ${command}`;
  }

  /** Reports whether a call failed because this version of the tool is not installed on the node. */
  #isMissing(result: ShellResult | null): boolean {
    return result?.code === NO_SUCH_FILE && result.stderr.includes(this.#source.version);
  }

  #failed(what: string, why: string): OverworldError {
    return new OverworldError('NODE_TOOL_FAILED', { node: this.#node, what, why: shortened(why) });
  }

  #unreachable(why: string): OverworldError {
    return new OverworldError('NODE_UNREACHABLE', { node: this.#node, why });
  }
}

function shortened(why: string): string {
  return why.length > WHY_LENGTH ? `${why.slice(0, WHY_LENGTH)}…` : why;
}

function lastWordsOf({ code, signal, stderr }: ShellResult): string {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return last === '' ? `the command exited with ${signal ?? code ?? 'nothing'}` : last;
}

function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}

async function* concatenated(line: string, body: Readable): AsyncGenerator<Buffer> {
  yield Buffer.from(line);
  // The streams that callers pass consist of buffers.
  for await (const chunk of body) yield chunk as Buffer;
}
