import { parseTOML, ParseError, type AST } from 'toml-eslint-parser';
import { DefaultFileProblem } from '../default-files.ts';
import { lineEndOf, markLengthOf, settle, type Edit } from './splice.ts';

export const VELOCITY_CONFIG = 'velocity.toml';
/** Where Velocity looks for its forwarding secret unless velocity.toml names another file. */
export const VELOCITY_SECRET = 'forwarding.secret';

export interface VelocitySettings {
  readonly port: number;
  /** Shown in the server list: Velocity itself has no limit. */
  readonly maxPlayers: number;
}

/**
 * Sets `bind` and `show-max-players` in the text of a `velocity.toml`, and `port` in its `[query]` where it is set (UDP,
 * so that two proxies of a node do not want the same). Everything else stays byte for byte, `online-mode` and
 * `player-info-forwarding-mode` among it.
 *
 * @param text latin1; empty or only comments: they are added
 * @returns the new text; the same text again when it is put in once more
 * @throws DefaultFileProblem naming the line, when it is no TOML
 */
export function withVelocityConfig(text: string, settings: VelocitySettings): string {
  return settle(VELOCITY_CONFIG, text, (now) => editsOf(now, settings));
}

/**
 * A `velocity.toml` for a service that has none. Velocity fills in all else; the version says that no setting is in the
 * form of an earlier one (Velocity migrates files without).
 */
export function newVelocityConfig({ port, maxPlayers }: VelocitySettings): string {
  return [
    '# Made by Overworld, as the template has no velocity.toml.',
    'config-version = "2.7"',
    `bind = "0.0.0.0:${port}"`,
    `show-max-players = ${maxPlayers}`,
    `forwarding-secret-file = "${VELOCITY_SECRET}"`,
    '',
  ].join('\n');
}

function editsOf(text: string, { port, maxPlayers }: VelocitySettings): readonly Edit[] {
  const mark = markLengthOf(text);
  const { body } = parse(text.slice(mark)).body[0];
  const values = valuesOf(body);
  const wanted = [
    { key: 'bind', value: `0.0.0.0:${port}`, always: true },
    { key: 'show-max-players', value: maxPlayers, always: true },
    { key: 'query.port', value: port, always: false },
  ];
  const edits: Edit[] = [];
  const missing: string[] = [];
  for (const { key, value, always } of wanted) {
    const found = values.get(key);
    if (found === undefined) {
      if (always) missing.push(`${key} = ${JSON.stringify(value)}`);
    } else if (found.type !== 'TOMLValue' || found.value !== value) {
      const [from, to] = found.range;
      edits.push({ from: from + mark, to: to + mark, text: JSON.stringify(value) });
    }
  }
  if (missing.length > 0) edits.push(added(missing, text, lastOfRoot(body, mark)));
  return edits;
}

/**
 * New lines for the root, which ends at the first `[table]`.
 *
 * @param last where its last setting ends; null where it has none
 */
function added(lines: readonly string[], text: string, last: number | null): Edit {
  const end = lineEndOf(text);
  const lineEnd = last === null ? markLengthOf(text) : text.indexOf('\n', last) + 1;
  // Nothing ends the last line.
  if (last !== null && lineEnd === 0) {
    return { from: text.length, to: text.length, text: end + lines.join(end) };
  }
  return { from: lineEnd, to: lineEnd, text: lines.map((line) => line + end).join('') };
}

type Body = AST.TOMLTopLevelTable['body'];

function lastOfRoot(body: Body, mark: number): number | null {
  const last = body.findLast(({ type }) => type === 'TOMLKeyValue');
  return last === undefined ? null : mark + last.range[1];
}

/** All values by their full names, those of tables among them. */
function valuesOf(body: Body): ReadonlyMap<string, AST.TOMLContentNode> {
  const values = new Map<string, AST.TOMLContentNode>();
  for (const node of body) {
    if (node.type === 'TOMLKeyValue') values.set(nameOf(node.key), node.value);
    else if (node.kind === 'standard') {
      for (const pair of node.body) values.set(`${nameOf(node.key)}.${nameOf(pair.key)}`, pair.value);
    }
  }
  return values;
}

function nameOf({ keys }: AST.TOMLKey): string {
  return keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value)).join('.');
}

function parse(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const why = `${VELOCITY_CONFIG}: line ${error.lineNumber} is no TOML (${error.message})`;
    throw new DefaultFileProblem('unusable', why, error);
  }
}
