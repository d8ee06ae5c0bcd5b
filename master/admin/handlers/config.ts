import { describeFields } from '#shared/config/field.ts';
import { masterConfigSchema, type MasterConfig } from '#shared/config/master.ts';
import { NO_API_TOKEN, SECRET_MASK } from '#shared/config/secret.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { describeChanges } from '#master/control/feed/config-diff.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { documentTitle, type DocumentState } from '#master/store/document-store.ts';
import type { HandlersOf } from '../api.ts';
import type { MasterFacts } from './master.ts';
import { hideValues, showValues } from '../masked-text.ts';
import { maskedDocument } from '../masked-document.ts';

const FIELDS = describeFields(masterConfigSchema);
const SECRET_PATHS = new Set(['provider.api_token']);

/**
 * Creates the handlers of `config.*`. They never send the provider's token to clients
 * (docs/specification.md#provider).
 *
 * Must be called once, at the start of the master, because the handlers return the `communication` settings with
 * which the master has started.
 */
export function configHandlers(
  { config, events, link }: Pick<Documents, 'config'> & Pick<IngressAccess, 'link'> & Pick<Feed, 'events'>,
  { refusesToken }: Pick<MasterFacts, 'refusesToken'>,
): HandlersOf<'config'> {
  const running = config.master.config.communication;
  /**
   * Replaces each mask in a document with the value that it hides. If the document on disk no longer has the revision
   * `basedOn`, restores only the provider's token, because saving the document fails anyway.
   *
   * @throws OverworldError CONFIG_FAULTY if a mask has no value
   */
  const restored = (value: unknown, basedOn: string): unknown => {
    const { config: inUse, revision, faultyText } = config.master;
    const stored = inUse.provider.api_token;
    const unmasked = unmask(value, stored);
    if (revision !== basedOn) return unmasked;
    const hidden = faultyText === null ? [] : hideValues(FIELDS, faultyText, stored).hidden;
    const shown = showValues(FIELDS, unmasked, hidden);
    if (shown.problems.length === 0) return shown.value;
    throw new OverworldError('CONFIG_FAULTY', { document: documentTitle(null), problems: shown.problems });
  };
  return {
    'config.get': () => toDocument(config.master, running),
    'config.text': async () => {
      const { text, revision } = await config.masterText();
      return { text: hideValues(FIELDS, text, config.master.config.provider.api_token).text, revision };
    },
    'config.freePort': async () => ({ port: await link.findFreePort() }),
    'config.update': async ({ config: value, basedOn }, caller) => {
      const before = config.master.config;
      const wanted = restored(value, basedOn);
      if (refusesToken) refuseToken(wanted);
      const state = await config.writeMaster(wanted, basedOn);
      events.add({
        kind: 'config.changed',
        subject: { type: 'config', id: 'master' },
        template: null,
        actor: caller.name,
        message: 'The master configuration was changed',
        cause: describeChanges(before, state.config, SECRET_PATHS),
      });
      return toDocument(state, running);
    },
  };
}

/**
 * Throws LOCAL_SERVICES_UNSAFE if a document contains an API token. Called if the master refuses to run services on a
 * machine with a token: such a master could not start again with this document.
 */
function refuseToken(document: unknown): void {
  const parsed = masterConfigSchema.safeParse(document);
  if (!parsed.success || parsed.data.provider.api_token === NO_API_TOKEN) return;
  throw new OverworldError('LOCAL_SERVICES_UNSAFE', { why: "they could read the provider's API token" });
}

function toDocument(
  { config, revision, problems, faultyText }: DocumentState<MasterConfig>,
  running: MasterConfig['communication'],
): Result<'config.get'> {
  return {
    config: { ...config, provider: { ...config.provider, api_token: shown(config.provider.api_token) } },
    configRevision: revision,
    problems: [...problems],
    running,
    onDisk: faultyText === null ? null : maskedDocument(FIELDS, faultyText),
  };
}

/**
 * Returns the token as clients see it: masked, or unchanged if it is the value for "no token", which is not secret.
 */
const shown = (token: string): string => (token === NO_API_TOKEN ? token : SECRET_MASK);

/** Replaces the mask with the stored token. Invalid values stay unchanged, and the schema rejects them. */
function unmask(value: unknown, token: string): unknown {
  if (!isObject(value)) return value;
  const provider = value['provider'];
  if (!isObject(provider) || provider['api_token'] !== SECRET_MASK) return value;
  return { ...value, provider: { ...provider, api_token: token } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
