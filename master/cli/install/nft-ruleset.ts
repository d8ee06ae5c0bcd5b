import { z } from 'zod';

/** A chain of nftables. */
export interface Chain {
  readonly family: string;
  readonly table: string;
  readonly name: string;
}

const expressionSchema = z.record(z.string(), z.unknown());

const entrySchema = z.union([
  z.object({
    chain: z.object({
      family: z.string(),
      table: z.string(),
      name: z.string(),
      type: z.string().optional(),
      hook: z.string().optional(),
      policy: z.string().optional(),
    }),
  }),
  z.object({
    rule: z.object({
      family: z.string(),
      table: z.string(),
      chain: z.string(),
      expr: z.array(expressionSchema).default([]),
    }),
  }),
  z.record(z.string(), z.unknown()),
]);

const rulesetSchema = z.object({ nftables: z.array(entrySchema) });

type Expression = z.infer<typeof expressionSchema>;
type Entry = z.infer<typeof entrySchema>;
type ChainEntry = Extract<Entry, { chain: { name: string } }>['chain'];

/** A chain that blocks connections to this machine, with its rules in order. */
export interface BlockingChain extends Chain {
  readonly rules: readonly (readonly Expression[])[];
}

/** Expressions that do not affect whether a packet is accepted. */
const NEUTRAL = new Set(['counter', 'log', 'limit', 'comment']);

/**
 * Returns the chains that block connections to this machine unless a rule allows them: the chain's policy is `drop`,
 * or one of its rules rejects everything. A connection succeeds only if every such chain allows it.
 *
 * @param ruleset output of `nft --json list ruleset`
 */
export function findBlockingChains(ruleset: string): BlockingChain[] {
  const { nftables } = rulesetSchema.parse(JSON.parse(ruleset));
  const inputs = nftables.flatMap((entry) =>
    isChain(entry) && entry.chain.type === 'filter' && entry.chain.hook === 'input' ? [entry.chain] : [],
  );
  return inputs.flatMap(({ family, table, name, policy }) => {
    const rules = nftables.flatMap((entry) =>
      isRule(entry) && entry.rule.family === family && entry.rule.table === table && entry.rule.chain === name
        ? [entry.rule.expr]
        : [],
    );
    return policy === 'drop' || rules.some(rejectsEverything) ? [{ family, table, name, rules }] : [];
  });
}

/**
 * Returns the ports that no rule of a chain opens for all addresses. Only considers rules that match the port alone,
 * or the port and the state of the connection.
 */
export function closedPorts({ rules }: Pick<BlockingChain, 'rules'>, ports: readonly number[]): number[] {
  return ports.filter((port) => !rules.some((rule) => opensPort(rule, port)));
}

/** Returns the program that manages a chain and would undo changes by others. Null if there is none. */
export function managerOf({ table, name }: Chain): string | null {
  if (table === 'firewalld') return 'firewalld';
  // The names that the commands of iptables use in nftables.
  return table === 'filter' && name === 'INPUT' ? 'iptables' : null;
}

function isChain(entry: Entry): entry is { chain: ChainEntry } {
  return 'chain' in entry && typeof entry.chain === 'object';
}

function isRule(
  entry: Entry,
): entry is { rule: { family: string; table: string; chain: string; expr: Expression[] } } {
  return 'rule' in entry && typeof entry.rule === 'object';
}

function rejectsEverything(rule: readonly Expression[]): boolean {
  const deciding = rule.filter((expression) => !Object.keys(expression).every((key) => NEUTRAL.has(key)));
  return deciding.length === 1 && ['drop', 'reject'].some((verdict) => verdict in (deciding[0] ?? {}));
}

const matchSchema = z.object({ op: z.string(), left: z.unknown(), right: z.unknown() });

function opensPort(rule: readonly Expression[], port: number): boolean {
  if (!rule.some((expression) => 'accept' in expression)) return false;
  let matchesPort = false;
  for (const { match } of rule) {
    if (match === undefined) continue;
    const { op, left, right } = matchSchema.parse(match);
    if (isTcpPort(left) && op === '==' && contains(right, port)) matchesPort = true;
    else if (!isState(left)) return false;
  }
  return matchesPort;
}

const payloadSchema = z.object({ payload: z.object({ protocol: z.string(), field: z.string() }) });
const stateSchema = z.object({ ct: z.object({ key: z.literal('state') }) });
const setSchema = z.object({ set: z.array(z.unknown()) });
const rangeSchema = z.object({ range: z.tuple([z.number(), z.number()]) });

function isTcpPort(left: unknown): boolean {
  const payload = payloadSchema.safeParse(left).data?.payload;
  return payload?.field === 'dport' && ['tcp', 'th'].includes(payload.protocol);
}

function isState(left: unknown): boolean {
  return stateSchema.safeParse(left).success;
}

/** Returns whether the right side of a match contains a port: a number, a range, or a set of both. */
function contains(right: unknown, port: number): boolean {
  if (right === port) return true;
  const range = rangeSchema.safeParse(right).data?.range;
  if (range !== undefined) return port >= range[0] && port <= range[1];
  return setSchema.safeParse(right).data?.set.some((part) => contains(part, port)) ?? false;
}
