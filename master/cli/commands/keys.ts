import { join } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { roles, type AuthorizedKey, type Role } from '#shared/model/role.ts';
import { openKeyStore, type KeyStore } from '#master/admin/keys.ts';
import { openDataFolder } from '#master/store/data-folder.ts';
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
    stopped: (store) => store.add({ name, role, publicKey }),
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
    stopped: (store) => store.remove(nameOrFingerprint),
  });
  if (json === true) printJson(context, key);
  else context.out(`${key.name} (${key.fingerprint}) can no longer log in.`);
}

/**
 * Calls the running master. If no master runs, works on the file, and holds the lease meanwhile so that no master
 * can start.
 */
async function eitherWay<T>(
  data: string,
  ways: {
    readonly running: (master: MasterClient) => Promise<T>;
    readonly stopped: (store: KeyStore) => Promise<T>;
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
    return await ways.stopped(await openKeyStore(join(folder.config, 'keys.json')));
  } finally {
    await lease.release();
  }
}
