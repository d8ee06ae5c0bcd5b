import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { roles, type AuthorizedKey, type Role } from '#shared/model/access/role.ts';
import { limitWords, templateLimitSchema } from '#shared/model/access/template-limit.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import { keyChangeWords, type KeyChangeKind } from '#master/admin/key-change.ts';
import { openKeyStore, type KeyStore } from '#master/admin/keys.ts';
import { dataFolderAt, openDataFolder, type DataFolder } from '#master/store/data-folder.ts';
import { securityLogFolder } from '#master/store/security-log/files.ts';
import { SecurityLog } from '#master/store/security-log/security-log.ts';
import { acquireLease, type Lease } from '#master/store/lease.ts';
import { withMaster, type MasterClient } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { formatTable, formatTime } from '../table.ts';

/** Maximum time until a master that has the lease answers on its local socket (ms). */
const STARTING_MS = 15_000;

const LOOK_AGAIN_MS = 200;

/**
 * Defines `overworld-master keys list|add|limit|remove`. The command calls the running master or, if no master runs,
 * changes the file.
 */
export function keysCommand(context: CliContext): Command {
  const list = new Command('list')
    .description('list the keys that can log in')
    .addOption(dataOption())
    .addOption(jsonOption('array of keys'))
    .action((options: CommonOptions) => listKeys(options, context));
  const add = new Command('add')
    .description('give a key access')
    .argument('<name>', 'name of the person who uses the key')
    .argument('<key>', 'one line of a .pub file, in quotes')
    .addOption(
      new Option('--role <role>', 'its role: files (SFTP only), viewer, operator, owner')
        .choices(roles)
        .default('operator'),
    )
    .addOption(templatesOption())
    .addOption(dataOption())
    .addOption(jsonOption('the key'))
    .action((name: string, publicKey: string, options: AddOptions) =>
      addKey({ name, publicKey, ...options }, context),
    );
  const limit = new Command('limit')
    .description('limit a key to templates, or remove its limit, and close its open sessions')
    .addArgument(new Argument('<key>', 'its name or fingerprint'))
    .addOption(templatesOption().conflicts('allTemplates'))
    .addOption(new Option('--all-templates', 'remove the limit: the key is for all templates'))
    .addOption(dataOption())
    .addOption(jsonOption('the key'))
    .action((key: string, options: LimitOptions, command: Command) => {
      if (options.templates === undefined && options.allTemplates !== true)
        command.error('error: give either --templates or --all-templates');
      return limitKey(key, options, context);
    });
  const remove = new Command('remove')
    .description('remove the access of a key and close its open sessions')
    .addArgument(new Argument('<key>', 'its name or fingerprint'))
    .addOption(dataOption())
    .addOption(jsonOption('the key'))
    .action((key: string, options: CommonOptions) => removeKey(key, options, context));
  return new Command('keys')
    .description('manage who can log in')
    .addCommand(list)
    .addCommand(add)
    .addCommand(limit)
    .addCommand(remove);
}

interface AddOptions extends CommonOptions {
  readonly role: Role;
  readonly templates?: string[];
}

interface LimitOptions extends CommonOptions {
  readonly templates?: string[];
  readonly allTemplates?: true;
}

function templatesOption(): Option {
  const about =
    "templates that the key is limited to, such as 'lobby,bedwars*' (roles files and operator only)";
  return new Option('--templates <ids>', about).argParser((text: string): string[] => {
    const parsed = templateLimitSchema.safeParse(text.split(',').map((mask) => mask.trim()));
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`Each one ${parsed.error.issues[0]?.message ?? 'must be a template id'}.`);
  });
}

async function listKeys({ data, json }: CommonOptions, context: CliContext): Promise<void> {
  const keys = await eitherWay(data, {
    running: (master) => master.call('keys.list', {}),
    stopped: (store) => Promise.resolve(store.list()),
  });
  if (json === true) printJson(context, keys);
  else context.out(keyTable(keys));
}

function keyTable(keys: readonly AuthorizedKey[]): string {
  return formatTable(
    ['NAME', 'ROLE', 'TEMPLATES', 'FINGERPRINT', 'ADDED'],
    keys.map(({ name, role, templates, fingerprint, addedAt }) => [
      name,
      role,
      templates === null ? 'all' : limitWords(templates),
      fingerprint,
      formatTime(addedAt),
    ]),
  );
}

async function addKey(
  {
    data,
    json,
    name,
    role,
    templates,
    publicKey,
  }: AddOptions & { readonly name: string; readonly publicKey: string },
  context: CliContext,
): Promise<void> {
  const key = await eitherWay(data, {
    running: (master) => master.call('keys.add', { name, role, templates, publicKey }),
    stopped: async (store, record) => {
      const added = await store.add({ name, role, templates, publicKey });
      await record('key.added', added);
      return added;
    },
  });
  if (json === true) printJson(context, key);
  else context.out(`${key.name} can log in as ${key.role}${limitOf(key)} (${key.fingerprint}).`);
}

/** Returns the limit of a key as the end of a phrase. Empty if the key has no limit. */
function limitOf({ templates }: AuthorizedKey): string {
  return templates === null ? '' : ` for ${limitWords(templates)}`;
}

async function limitKey(
  nameOrFingerprint: string,
  {
    data,
    json,
    templates = null,
  }: Omit<LimitOptions, 'templates'> & { readonly templates?: string[] | null },
  context: CliContext,
): Promise<void> {
  const key = await eitherWay(data, {
    running: (master) => master.call('keys.limit', { key: nameOrFingerprint, templates }),
    stopped: async (store, record) => {
      const { key: limited, changed } = await store.limit(nameOrFingerprint, templates);
      if (changed) await record('key.limited', limited);
      return limited;
    },
  });
  if (json === true) printJson(context, key);
  else
    context.out(
      `${key.name} can log in as ${key.role} for ${key.templates === null ? 'all templates' : limitWords(key.templates)}.`,
    );
}

async function removeKey(
  nameOrFingerprint: string,
  { data, json }: CommonOptions,
  context: CliContext,
): Promise<void> {
  const key = await eitherWay(data, {
    running: (master) => master.call('keys.remove', { key: nameOrFingerprint }),
    stopped: async (store, record) => {
      const removed = await store.remove(nameOrFingerprint);
      await record('key.removed', removed);
      return removed;
    },
  });
  if (json === true) printJson(context, key);
  else context.out(`${key.name} (${key.fingerprint}) can no longer log in.`);
}

/** Writes a change of the keys to the security log. Resolves once the entry is on disk. */
type RecordChange = (kind: KeyChangeKind, key: AuthorizedKey) => Promise<void>;

async function recordKeyChange(state: string, kind: KeyChangeKind, key: AuthorizedKey): Promise<void> {
  const log = await SecurityLog.open(securityLogFolder(state), Date.now);
  const message = keyChangeWords(kind, key);
  const cause = `on the command line while no master ran, ${key.fingerprint}`;
  log.add({ kind, actor: 'local', message, cause, subject: `key ${key.name}` });
  try {
    await log.flushed();
  } finally {
    await log.close();
  }
}

/** How to change the keys of a running master, and of a master that does not run. */
interface Ways<T> {
  readonly running: (master: MasterClient) => Promise<T>;
  readonly stopped: (store: KeyStore, record: RecordChange) => Promise<T>;
}

/**
 * Calls the running master. If no master runs, works on the file instead, and holds the lease of the data folder
 * meanwhile, so that no master can start. Waits for a master that has the lease, but does not answer yet because it
 * is starting.
 *
 * @throws OverworldError MASTER_NOT_RUNNING if the folder is no data folder; MASTER_ALREADY_RUNNING if the holder of
 *   the lease does not answer within 15 s; whatever the ways throw
 */
async function eitherWay<T>(data: string, ways: Ways<T>): Promise<T> {
  const until = monotonicMs() + STARTING_MS;
  for (;;) {
    try {
      return await withMaster(data, ways.running);
    } catch (error) {
      if (!hasCode(error, 'MASTER_NOT_RUNNING') || !existsSync(dataFolderAt(data).config)) throw error;
    }
    const folder = await openDataFolder(data);
    const lease = await acquireLease(folder.root).catch((error: unknown) => {
      if (!hasCode(error, 'MASTER_ALREADY_RUNNING') || monotonicMs() > until) throw error;
      return null;
    });
    if (lease !== null) return whileStopped(folder, lease, ways.stopped);
    await delay(LOOK_AGAIN_MS);
  }
}

async function whileStopped<T>(folder: DataFolder, lease: Lease, change: Ways<T>['stopped']): Promise<T> {
  try {
    const record: RecordChange = (kind, key) => recordKeyChange(folder.state, kind, key);
    return await change(await openKeyStore(join(folder.config, 'keys.json')), record);
  } finally {
    await lease.release();
  }
}
