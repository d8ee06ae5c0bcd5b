import { fromWire } from '#shared/errors/wire.ts';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { Connection, Link } from '#shared/ipc/contract.ts';
import { visibleName } from '#shared/text/visible-name.ts';
import type { Ask, Question } from '../window/ask.ts';

/** A host key that a master has shown to this app. */
export interface ShownKey {
  /** `host:port` at which it was shown. */
  readonly address: string;
  /** `SHA256:…` */
  readonly hostKey: string;
}

/** The key that a link has run into, if that is why it does not stand. */
export function keyShownTo({ error }: Pick<Link, 'error'>): ShownKey | null {
  if (error === null) return null;
  const failure = fromWire(error);
  if (!hasCode(failure, 'HOST_KEY_UNKNOWN') && !hasCode(failure, 'HOST_KEY_CHANGED')) return null;
  return { address: failure.details.address, hostKey: failure.details.found };
}

/**
 * Asks whether a master's key is to be trusted, with what this app has seen by itself.
 *
 * @param expected the key that was trusted until now; null: none was
 */
export function questionAboutKey(
  name: string,
  { address, hostKey }: ShownKey,
  expected: string | null,
): Question {
  const at = visibleName(address);
  const compare =
    'Trust it only when this is the line that "overworld-master status" prints on the master’s machine.';
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

/** The key that each connection's master has shown last, by the connection's id, while it is not the trusted one. */
export class ShownKeys {
  readonly #shown = new Map<string, ShownKey>();

  note(id: string, shown: ShownKey): void {
    const before = this.#shown.get(id);
    // The same one again leaves a question that is open just now as it is.
    if (before?.hostKey !== shown.hostKey || before.address !== shown.address) this.#shown.set(id, shown);
  }

  /** It was trusted, or another master may be behind the connection from now on. */
  forget(id: string): void {
    this.#shown.delete(id);
  }

  /**
   * Asks the person whether a key is to be trusted, that this app must have been shown itself.
   *
   * @param given what the page says
   * @returns false when the person said no
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
    // While the person read, the connection may have been led elsewhere, or its master have shown yet another key.
    if (this.#shown.get(id) !== shown) throw notShown();
    return true;
  }
}
