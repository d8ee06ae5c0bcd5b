import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { MasterConfig } from '#shared/config/master.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { authorizedKeySchema, type AuthorizedKey } from '#shared/model/access/role.ts';
import { freeKeyName } from '#master/admin/keys.ts';
import { parsePublicKey } from '#master/admin/public-key.ts';
import { SYSTEM_DATA_FOLDER } from '#master/doctor/service-unit.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { withMaster } from '../client.ts';
import { mustRun } from '../machine/run-program.ts';
import { PROGRAM_FOLDER } from './program.ts';

/**
 * Access to the settings in the master's data folder: through the running master, or through its files while no
 * master runs.
 */
export interface InstallSettings {
  /**
   * Returns the host key. Creates the key if it is missing, and a configuration with this hostname if there is none.
   *
   * @returns `isNew`: whether the configuration was created
   */
  ensureKey(
    hostname: string | null,
  ): Promise<{ readonly hostKey: string; readonly created: boolean; readonly isNew: boolean }>;
  /** Returns the address at which plugins reach the master. Null if the configuration is faulty. */
  communication(): Promise<MasterConfig['communication'] | null>;
  /**
   * Changes `communication.hostname`.
   *
   * @throws OverworldError CONFIG_FAULTY
   */
  setHostname(address: string): Promise<void>;
  hasOwner(): Promise<boolean>;
  /** Gives a key the role `owner`. Returns the key, and whether anything was changed. */
  ensureOwner(line: string): Promise<{ readonly owner: AuthorizedKey; readonly changed: boolean }>;
}

const initSchema = z.object({
  hostKey: z.string(),
  communication: z.object({ hostname: z.string(), port: z.int() }).nullable(),
  owner: authorizedKeySchema.nullable(),
  hasOwner: z.boolean(),
  changed: z.array(z.string()),
});

/**
 * Returns access to the settings of a master that is not running. To read and change the files, it runs the command
 * `overworld-master init`. This command works as the master's user, because root must not write into a folder that
 * another user controls.
 */
export function settingsOnDisk(): InstallSettings {
  const init = async (...args: readonly string[]): Promise<z.infer<typeof initSchema>> => {
    const program = join(PROGRAM_FOLDER, 'bin/overworld-master');
    const all = ['init', '--json', '--data', SYSTEM_DATA_FOLDER, ...args];
    return initSchema.parse(JSON.parse(await mustRun(program, all)));
  };
  return {
    ensureKey: async (hostname) => {
      const isNew = !existsSync(join(dataFolderAt(SYSTEM_DATA_FOLDER).config, 'master.json'));
      const { hostKey, changed } = await init(
        ...(isNew && hostname !== null ? ['--hostname', hostname] : []),
      );
      return { hostKey, created: changed.includes('key'), isNew };
    },
    communication: async () => (await init()).communication,
    setHostname: async (address) => {
      await init('--hostname', address);
    },
    hasOwner: async () => (await init()).hasOwner,
    ensureOwner: async (line) => {
      const { owner, changed } = await init('--owner-key', line);
      if (owner === null) throw new OverworldError('INTERNAL', { what: 'init has not added the owner' });
      return { owner, changed: changed.includes('owner') };
    },
  };
}

/** Returns access to the settings of the running master. */
export function settingsOfRunningMaster(): InstallSettings {
  return {
    ensureKey: () =>
      withMaster(SYSTEM_DATA_FOLDER, async (master) => {
        const { hostKey } = await master.call('master.info', {});
        return { hostKey, created: false, isNew: false };
      }),
    communication: () =>
      withMaster(SYSTEM_DATA_FOLDER, async (master) => {
        const { config } = await master.call('config.get', {});
        return config.communication;
      }),
    setHostname: (hostname) =>
      withMaster(SYSTEM_DATA_FOLDER, async (master) => {
        const { config, configRevision, problems } = await master.call('config.get', {});
        // The update would replace the whole file, and lose the changes that its author intended.
        if (problems.length > 0)
          throw new OverworldError('CONFIG_FAULTY', { document: 'The master configuration', problems });
        const communication = { ...config.communication, hostname };
        await master.call('config.update', {
          config: { ...config, communication },
          basedOn: configRevision,
        });
      }),
    hasOwner: () =>
      withMaster(SYSTEM_DATA_FOLDER, async (master) =>
        (await master.call('keys.list', {})).some(({ role }) => role === 'owner'),
      ),
    ensureOwner: (line) =>
      withMaster(SYSTEM_DATA_FOLDER, async (master) => {
        const { fingerprint, comment } = parsePublicKey(line);
        const keys = await master.call('keys.list', {});
        const known = keys.find((key) => key.fingerprint === fingerprint);
        if (known?.role === 'owner') return { owner: known, changed: false };
        // The API cannot change a role.
        if (known !== undefined) await master.call('keys.remove', { key: fingerprint });
        const wanted = authorizedKeySchema.shape.name.safeParse(known?.name ?? comment).data ?? 'owner';
        const others = keys.filter((key) => key !== known);
        const name = freeKeyName(others, wanted);
        const owner = await master.call('keys.add', { name, role: 'owner', publicKey: line });
        return { owner, changed: true };
      }),
  };
}
