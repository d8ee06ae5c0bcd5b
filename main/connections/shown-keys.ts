import { fromWire } from '#shared/errors/wire.ts';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { Connection, Link } from '#shared/ipc/contract.ts';
import { visibleName } from '#shared/text/visible-name.ts';
import type { Ask, Question } from '../window/ask.ts';

/** A host key that a master has shown to this app. */
export interface ShownKey {
  /** `host:port` of that master. */
  readonly address: string;
  /** `SHA256:…` */
  readonly hostKey: string;
}

/** Returns the host key that made a link fail. Null if it failed for another reason or not at all. */
export function findShownKey({ error }: Pick<Link, 'error'>): ShownKey | null {
  if (error === null) return null;
  const failure = fromWire(error);
  if (!hasCode(failure, 'HOST_KEY_UNKNOWN') && !hasCode(failure, 'HOST_KEY_CHANGED')) return null;
  return { address: failure.details.address, hostKey: failure.details.found };
}

/**
 * Returns the question whether to trust a master's key, with what this app itself has seen.
 *
 * @param expected the key that was trusted until now; null if there was none
 */
export function questionAboutKey(
  name: string,
  { address, hostKey }: ShownKey,
  expected: string | null,
): Question {
  const at = visibleName(address);
  const compare =
    'Trust it only if it is the host key that "overworld-master status" prints on the master’s machine.';
  if (expected === null) {
    return {
      title: 'Trust a master',
      message: `Is this the host key of ${visibleName(name)}?`,
      detail: `${at} shows:\n${hostKey}\n\n${compare}`,
      confirm: 'Trust this key',
    };
  }
  return {
    title: 'A host key has changed',
    message: `Trust the new host key of ${visibleName(name)}?`,
    detail: `Trusted until now:\n${expected}\n\n${at} shows now:\n${hostKey}\n\n${compare}`,
    confirm: 'Trust the new key',
  };
}

/** The untrusted key that each connection's master showed last, by connection id. */
export class ShownKeys {
  readonly #shown = new Map<string, ShownKey>();

  note(id: string, shown: ShownKey): void {
    const before = this.#shown.get(id);
    // The same key again must not invalidate a question that is open now.
    if (before?.hostKey !== shown.hostKey || before.address !== shown.address) this.#shown.set(id, shown);
  }

  /** Forgets the key, because it was trusted or the connection may lead to a different master. */
  forget(id: string): void {
    this.#shown.delete(id);
  }

  /**
   * Asks the person whether to trust a key. This app must have been shown that key itself.
   *
   * @param given key and address as the page reports them
   * @returns false if the person declines
   * @throws OverworldError HOST_KEY_NOT_SHOWN, HOST_KEY_NAME_MISSING
   */
  async confirm(
    { id, name, hostKey: pinned }: Connection,
    given: { readonly hostKey: string; readonly typedName: string },
    ask: Ask,
  ): Promise<boolean> {
    const shown = this.#shown.get(id);
    const notShown = () =>
      new OverworldError('HOST_KEY_NOT_SHOWN', { connection: name, hostKey: given.hostKey });
    if (shown?.hostKey !== given.hostKey) throw notShown();
    if (pinned !== null && given.typedName.trim() !== name) {
      throw new OverworldError('HOST_KEY_NAME_MISSING', { connection: name });
    }
    if (!(await ask(questionAboutKey(name, shown, pinned))).confirmed) return false;
    // While the person read, the connection may have been changed, or its master may have shown yet another key.
    if (this.#shown.get(id) !== shown) throw notShown();
    return true;
  }
}
