import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The parts of a Java type that the JVM uses for linking. */
export interface JavaType {
  readonly kind: 'class' | 'interface';
  /** Names of the superclass and the interfaces. */
  readonly parents: readonly string[];
  /**
   * Methods and constructors with their descriptors, such as `getName()Ljava/lang/String;`. Static methods have the
   * prefix `static `.
   */
  readonly methods: ReadonlySet<string>;
}

/**
 * Reads types and all their supertypes with `javap`. Leaves out types that do not exist.
 *
 * @param names type names, with `$` before the name of a nested type
 */
export async function readJavaTypes(
  classPath: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, JavaType>> {
  const types = new Map<string, JavaType>();
  const asked = new Set<string>();
  for (let wanted = names; wanted.length > 0;) {
    for (const name of wanted) asked.add(name);
    for (const [name, type] of await ask(classPath, wanted)) types.set(name, type);
    wanted = [...types.values()].flatMap((type) => type.parents).filter((name) => !asked.has(name));
  }
  return types;
}

/** Returns all methods of a type, including inherited ones. */
export function methodsOf(types: ReadonlyMap<string, JavaType>, name: string): ReadonlySet<string> {
  const type = types.get(name);
  if (type === undefined) return new Set();
  return new Set([...type.methods, ...type.parents.flatMap((parent) => [...methodsOf(types, parent)])]);
}

async function ask(
  classPath: readonly string[],
  names: readonly string[],
): Promise<readonly [string, JavaType][]> {
  const args = ['-s', '-protected', '-cp', classPath.join(delimiter), ...names];
  // If a class is missing, `javap` reports the missing class on stdout, prints the other classes, and fails.
  const { stdout } = await run('javap', args, { maxBuffer: 64 * 2 ** 20 }).catch((error: unknown) => {
    if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string')
      return { stdout: error.stdout };
    throw error;
  });
  return stdout.split(/^(?=Compiled from )/m).flatMap(parseType);
}

function parseType(text: string): readonly [string, JavaType][] {
  const lines = text.split('\n').map(withoutGenerics);
  const head = lines
    .map((line) =>
      /\b(class|interface) ([\w.$]+)(?: extends ([\w.$, ]+?))?(?: implements ([\w.$, ]+?))? \{$/.exec(line),
    )
    .find((match) => match !== null);
  if (!head?.[2]) return [];
  const parents = [head[3], head[4]].flatMap((list) => list?.split(/, ?/) ?? []);
  const methods = lines.flatMap((line, i) => {
    const name = /([\w.$]+)\(.*\)/.exec(line)?.[1];
    const descriptor = /descriptor: (\(.*)/.exec(lines[i + 1] ?? '')?.[1];
    if (name === undefined || descriptor === undefined) return [];
    return [`${/\bstatic /.test(line) ? 'static ' : ''}${name}${descriptor}`];
  });
  return [
    [head[2], { kind: head[1] === 'interface' ? 'interface' : 'class', parents, methods: new Set(methods) }],
  ];
}

function withoutGenerics(line: string): string {
  const shorter = line.replace(/<[^<>]*>/g, '');
  return shorter === line ? line : withoutGenerics(shorter);
}
