import { Readable } from 'node:stream';
import { z } from 'zod';
import { quote, type NodeShell, type ShellResult } from '#master/nodes/shell.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toolSource } from './tool-source.ts';

/** Where versions of the tool lie on a node, a folder for each. */
const TOOLS = '/usr/local/lib/overworld';
/** Isolated from the node's own Python settings and packages; both also make it start faster. */
const PYTHON = 'python3 -I -S';
/** Python's exit status when there is no such folder. */
const NO_SUCH_FILE = 2;

/** Puts the files of the request into their folder, as a whole. A folder that is there already is replaced. */
const INSTALL = `
import json, os, shutil, sys
os.umask(0o077)
request = json.load(sys.stdin)
folder = request['folder']
part = f'{folder}.{os.getpid()}.part'
os.makedirs(part)
for name, text in request['files'].items():
    with open(f'{part}/{name}', 'w', encoding='utf-8') as file:
        file.write(text)
shutil.rmtree(folder, ignore_errors=True)
os.chmod(os.path.dirname(folder), 0o755)
os.rename(part, folder)
`;

const problemKinds = [
  'alive',
  'busy',
  'changed',
  'console-blocked',
  'cut-off',
  'disk-full',
  'has-run',
  'layout-missing',
  'no-java',
  'no-port',
  'no-process',
  'not-prepared',
  'not-reserved',
  'not-started',
  'not-wanted',
] as const;

const replySchema = z.union([
  z.strictObject({ answer: z.unknown() }),
  z.strictObject({ problem: z.strictObject({ kind: z.enum(problemKinds), why: z.string() }) }),
]);

/** What the tool refused, and why; each caller knows what it means for it. */
export class ToolProblem extends Error {
  readonly kind: (typeof problemKinds)[number];

  constructor(kind: ToolProblem['kind'], why: string) {
    super(why);
    this.kind = kind;
  }
}

/** One call of the tool. */
export interface ToolCall<T> {
  readonly command: string;
  readonly request: object;
  /** What its answer looks like. */
  readonly answer: z.ZodType<T>;
  /** For people: what is done, as in "it was not possible to …". */
  readonly what: string;
  /** Follows the request; asked for again when the call has to be repeated. */
  readonly body?: () => Readable;
  /** 60,000 */
  readonly timeoutMs?: number;
}

/** The tool on one node: each call is a process there that ends with its answer (tool/__main__.py). */
export class NodeTool {
  readonly #node: string;
  readonly #shell: NodeShell;

  constructor(node: string, shell: NodeShell) {
    this.#node = node;
    this.#shell = shell;
  }

  /**
   * Calls the tool, which is put on the node first where it is missing.
   *
   * @throws ToolProblem; OverworldError NODE_UNREACHABLE (nobody knows whether it did its work), DISK_FULL,
   *   NODE_TOOL_FAILED
   */
  async call<T>(call: ToolCall<T>): Promise<T> {
    const { version } = toolSource();
    const command = `${PYTHON} ${TOOLS}/${version} ${call.command}`;
    let result = await this.#run(command, call);
    if (result.code === NO_SUCH_FILE && result.stderr.includes(version)) {
      await this.install();
      result = await this.#run(command, call);
    }
    return this.#read(result, call);
  }

  /** Puts this master's version of the tool on the node. @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED */
  async install(): Promise<void> {
    const { version, files } = toolSource();
    const result = await this.#shell.run(`${PYTHON} -c ${quote(INSTALL)}`, {
      stdin: JSON.stringify({ folder: `${TOOLS}/${version}`, files }),
    });
    if (result.code !== 0) throw this.#failed('put our tool on it', result);
  }

  #run(command: string, { request, body, timeoutMs }: ToolCall<unknown>): Promise<ShellResult> {
    const line = `${JSON.stringify(request)}\n`;
    return this.#shell.run(command, {
      stdin: body === undefined ? line : Readable.from(concatenated(line, body()), { objectMode: false }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  }

  #read<T>(result: ShellResult, { what, answer }: ToolCall<T>): T {
    if (result.code !== 0) throw this.#failed(what, result);
    const reply = replySchema.safeParse(parseJson(result.stdout));
    if (!reply.success) throw this.#failed(what, result);
    if ('problem' in reply.data) {
      const { kind, why } = reply.data.problem;
      if (kind === 'disk-full') throw new OverworldError('DISK_FULL', { path: `${this.#node}:${why}` });
      throw new ToolProblem(kind, why);
    }
    const parsed = answer.safeParse(reply.data.answer);
    if (parsed.success) return parsed.data;
    throw this.#failed(what, { ...result, stderr: `unexpected answer: ${parsed.error.message}` });
  }

  #failed(what: string, { code, signal, stderr }: ShellResult): OverworldError {
    const last = stderr.trim().split('\n').at(-1) ?? '';
    const why = last === '' ? `the command ended with ${signal ?? code ?? 'nothing'}` : last;
    return new OverworldError('NODE_TOOL_FAILED', { node: this.#node, what, why });
  }
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
  // Made of buffers by whoever gives it.
  for await (const chunk of body) yield chunk as Buffer;
}
