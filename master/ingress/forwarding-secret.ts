import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';

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
  const path = join(configFolder, 'forwarding.json');
  const file = await openQuietly(path);
  if (file.data === null) await file.update(() => ({ secret: randomBytes(SECRET_BYTES).toString('hex') }));
  return schema.parse(file.data).secret;
}

/** What is wrong with the file is told without a letter of it, unlike in the words of JSON's own errors. */
async function openQuietly(path: string): Promise<JsonFile<z.infer<typeof schema> | null>> {
  try {
    return await openJsonFile<z.infer<typeof schema> | null>(path, schema.nullable(), null);
  } catch (error) {
    if (!hasCode(error, 'DATA_FAULTY')) throw error;
    throw new OverworldError('DATA_FAULTY', {
      path,
      why: 'it does not hold the secret that was written there',
    });
  }
}
