import type { MasterConfig } from '#shared/config/master.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { describeChanges } from '#master/control/config-diff.ts';
import type { Parts } from '#master/control/parts.ts';
import type { DocumentState } from '#master/store/document-store.ts';
import type { HandlersOf } from '../api.ts';

/** What stands for a secret outside the master. Sent back, it means: keep the stored one. */
const MASK = '••••';

const SECRET_PATHS = new Set(['provider.api_token']);

/** `config.*` of the admin API. The provider's token never leaves the master (design 3). */
export function configHandlers({ config, events }: Parts): HandlersOf<'config'> {
  return {
    'config.get': () => toDocument(config.master),
    'config.update': async ({ config: value, basedOn }, caller) => {
      const before = config.master.config;
      const state = await config.writeMaster(unmask(value, before.provider.api_token), basedOn);
      events.add({
        kind: 'config.changed',
        subject: { type: 'config', id: 'master' },
        template: null,
        actor: caller.name,
        message: 'The master configuration was changed',
        cause: describeChanges(before, state.config, SECRET_PATHS),
      });
      return toDocument(state);
    },
  };
}

function toDocument({ config, revision, problems }: DocumentState<MasterConfig>): Result<'config.get'> {
  const masked = { ...config, provider: { ...config.provider, api_token: MASK } };
  return {
    config: masked,
    configRevision: revision,
    problems: [...problems],
    running: config.communication,
    onDisk: null,
  };
}

/** Puts the stored token back where the caller sent the mask. Anything odd is left for the schema to refuse. */
function unmask(value: unknown, token: string): unknown {
  if (!isObject(value)) return value;
  const provider = value['provider'];
  if (!isObject(provider) || provider['api_token'] !== MASK) return value;
  return { ...value, provider: { ...provider, api_token: token } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
