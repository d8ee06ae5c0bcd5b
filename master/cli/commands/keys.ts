import { join } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { roles, type AuthorizedKey, type Role } from '#shared/model/role.ts';
import { openKeyStore, type KeyStore } from '#master/admin/keys.ts';
import { openDataFolder } from '#master/store/data-folder.ts';
import { securityLogFolder } from '#master/store/security-log/files.ts';
import { SecurityLog } from '#master/store/security-log/security-log.ts';
import { acquireLease } from '#master/store/lease.ts';
import { withMaster, type MasterClient } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { formatTable, formatTime } from '../table.ts';

/**
 * Defines `overworld-master keys list|add|remove`. It calls the running master, or changes the file if no master
 * runs.
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
    .addOption(dataOption())
    .addOption(jsonOption('the key'))
    .action((name: string, publicKey: string, options: AddOptions) =>
      addKey({ name, publicKey, ...options }, context),
    );
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
    .addCommand(remove);
}

interface AddOptions extends CommonOptions {
  readonly role: Role;
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
    ['NAME', 'ROLE', 'FINGERPRINT', 'ADDED'],
    keys.map(({ name, role, fingerprint, addedAt }) => [name, role, fingerprint, formatTime(addedAt)]),
  );
}

async function addKey(
  { data, json, name, role, publicKey }: AddOptions & { readonly name: string; readonly publicKey: string },
  context: CliContext,
): Promise<void> {
  const key = await eitherWay(data, {
    running: (master) => master.call('keys.add', { name, role, publicKey }),
    stopped: async (store, record) => {
      const added = await store.add({ name, role, publicKey });
      await record('key.added', `Key ${added.name} was authorized as ${role}`, added);
      return added;
    },
  });
  if (json === true) printJson(context, key);
  else context.out(`${key.name} can log in as ${key.role} (${key.fingerprint}).`);
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
      await record('key.removed', `Key ${removed.name} was removed`, removed);
      return removed;
    },
  });
  if (json === true) printJson(context, key);
  else context.out(`${key.name} (${key.fingerprint}) can no longer log in.`);
}

/** Writes a change of the keys to the security log. Resolves when it is on disk. */
type RecordChange = (kind: 'key.added' | 'key.removed', message: string, key: AuthorizedKey) => Promise<void>;

async function recordKeyChange(
  state: string,
  change: { readonly kind: string; readonly message: string; readonly key: AuthorizedKey },
): Promise<void> {
  const log = await SecurityLog.open(securityLogFolder(state), Date.now);
  const { kind, message, key } = change;
  const cause = `on the command line while no master ran, ${key.fingerprint}`;
  log.add({ kind, actor: 'local', message, cause, subject: `key ${key.name}` });
  try {
    await log.flushed();
  } finally {
    await log.close();
  }
}

/**
 * Calls the running master. If no master runs, works on the file, and holds the lease meanwhile so that no master
 * can start.
 */
async function eitherWay<T>(
  data: string,
  ways: {
    readonly running: (master: MasterClient) => Promise<T>;
    readonly stopped: (store: KeyStore, record: RecordChange) => Promise<T>;
  },
): Promise<T> {
  try {
    return await withMaster(data, ways.running);
  } catch (error) {
    if (!hasCode(error, 'MASTER_NOT_RUNNING')) throw error;
  }
  const folder = await openDataFolder(data);
  const lease = await acquireLease(folder.root);
  try {
    const record: RecordChange = (kind, message, key) =>
      recordKeyChange(folder.state, { kind, message, key });
    return await ways.stopped(await openKeyStore(join(folder.config, 'keys.json')), record);
  } finally {
    await lease.release();
  }
}
