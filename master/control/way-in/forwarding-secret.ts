import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { openJsonFile } from '#master/store/json-file.ts';

/** As long as nobody can guess it; letters and digits alone, as it stands in files of many kinds. */
const SECRET_BYTES = 24;

const schema = z.object({
  secret: z
    .string()
    .min(16)
    .max(256)
    .regex(/^[!-~]+$/),
});

/**
 * The secret by which game servers believe proxies who a player is, made at the first start. It lies beside the
 * configuration, so that an empty state folder changes nothing; only the master may read it.
 *
 * @throws OverworldError DATA_FAULTY, DISK_FULL
 */
export async function openForwardingSecret(configFolder: string): Promise<string> {
  const file = await openJsonFile(join(configFolder, 'forwarding.json'), schema.nullable(), null);
  if (file.data === null) await file.update(() => ({ secret: randomBytes(SECRET_BYTES).toString('hex') }));
  return schema.parse(file.data).secret;
}
