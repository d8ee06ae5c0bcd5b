import { fromWire } from '#shared/errors/wire.ts';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { Connection, Link } from '#shared/ipc/contract.ts';
import { visibleName } from '#shared/text/visible-name.ts';
import type { Ask, DialogQuestion } from '../window/ask.ts';

/** A host key that a master has shown to this app. */
export interface ShownKey {
  /** `host:port` of that master. */
  readonly address: string;
  /** `SHA256:…` */
  readonly hostKey: string;
}

/** Returns the untrusted host key that made a link fail. Null if the link failed for another reason or not at all. */
export function findShownKey({ error }: Pick<Link, 'error'>): ShownKey | null {
  if (error === null) return null;
  const failure = fromWire(error);
  if (!hasCode(failure, 'HOST_KEY_UNKNOWN') && !hasCode(failure, 'HOST_KEY_CHANGED')) return null;
  return { address: failure.details.address, hostKey: failure.details.found };
}

/**
 * Returns the question whether to trust a master's host key. The question shows the address and the key that the main
 * process itself has seen, because a compromised page could report a different address or key.
 *
 * @param expected the key that was trusted until now; null if there was none
 */
export function questionAboutKey(
  name: string,
  { address, hostKey }: ShownKey,
  expected: string | null,
): DialogQuestion {
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

  /** Remembers the untrusted key that the master of a connection has shown. Replaces the key of an earlier call. */
  note(id: string, shown: ShownKey): void {
    const before = this.#shown.get(id);
    // `confirm` compares objects, so an open question stays valid if the master shows the same key again.
    if (before?.hostKey !== shown.hostKey || before.address !== shown.address) this.#shown.set(id, shown);
  }

  /** Removes the key of a connection after a person trusted it, or if the connection may lead to another master. */
  forget(id: string): void {
    this.#shown.delete(id);
  }

  /**
   * Asks the person whether to trust the host key that the page reports.
   *
   * @param given the key, and the name of the connection as the person typed it
   * @returns false if the person declines
   * @throws OverworldError HOST_KEY_NOT_SHOWN if the master has not shown this key to the app;
   *   HOST_KEY_NAME_MISSING if another key is pinned and the typed name differs from the connection's name
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
    // The connection may have been changed while the dialog was open, or its master may have shown yet another key.
    if (this.#shown.get(id) !== shown) throw notShown();
    return true;
  }
}
