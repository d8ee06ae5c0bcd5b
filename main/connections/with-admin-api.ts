import type { AdminApi } from './admin-api.ts';
import { openAdminApi } from './admin-api.ts';
import { addressOf, openSsh, type MasterAddress } from './ssh.ts';
import type { AppIdentity } from '../vault/identity.ts';

/** Default time limit for a separate connection and the work on it (ms). */
const DEFAULT_LIMIT_MS = 20_000;

/**
 * Opens a separate connection to a master, runs `work` on it, and closes it.
 *
 * @param limitMs total time limit (ms); default 20 s
 * @throws OverworldError as {@link openSsh}, {@link openAdminApi} and `work` do
 */
export async function withAdminApi<T>(
  { target, identity, limitMs = DEFAULT_LIMIT_MS }: AdminApiOptions,
  work: (api: AdminApi) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(limitMs);
  const { client } = await openSsh(target, identity, limit);
  const give = () => client.destroy();
  limit.addEventListener('abort', give, { once: true });
  try {
    const api = await openAdminApi(client, {
      address: addressOf(target),
      onNotification: () => undefined,
      onClose: () => undefined,
    });
    return await work(api);
  } finally {
    limit.removeEventListener('abort', give);
    client.end();
  }
}

export interface AdminApiOptions {
  readonly target: MasterAddress;
  readonly identity: AppIdentity;
  readonly limitMs?: number;
}
