import { link } from '../../stores/connection/link.svelte.ts';
import { LocalFolder } from '../../stores/files/local-folder.svelte.ts';
import { master } from '../../stores/master.svelte.ts';
import type { Entry } from '../../stores/files/folder.svelte.ts';
import { RemoteFolder } from '../../stores/files/remote-folder.svelte.ts';
import { changeRefusalOn, putRefusalOn, readRefusal, writeRefusal } from './access.ts';
import { Pane } from './browser/pane.svelte.ts';
import { otherSide, type Side } from './sides.ts';

/** Entries of one side that something is to be done with. */
export interface Chosen {
  readonly side: Side;
  readonly entries: readonly Entry[];
}

/** The one question that is open. */
export type Asked =
  | { readonly kind: 'new folder'; readonly side: Side }
  | ({ readonly kind: 'delete' } & Chosen)
  | ({ readonly kind: 'properties' } & Chosen)
  | { readonly kind: 'permissions'; readonly entries: readonly Entry[] }
  | ({ readonly kind: 'move across'; readonly folder: string } & Chosen)
  | { readonly kind: 'copy' | 'move'; readonly entries: readonly Entry[] }
  | { readonly kind: 'history'; readonly template: string };

/** Both sides of the Files screen, and what they share. */
export class Desk {
  readonly localFolder = new LocalFolder();
  readonly remoteFolder = new RemoteFolder();
  readonly local = new Pane({ side: 'local', folder: this.localFolder });
  readonly remote = new Pane({ side: 'remote', folder: this.remoteFolder });
  /** The side that the keyboard is on, or was last. */
  side = $state<Side>('remote');
  /** Both sides are shown; else only the one of `side`. */
  both = $state(true);
  /** What was copied or cut. */
  clipboard = $state.raw<
    | (Chosen & { readonly cut: boolean; /** The toast that says how to paste. */ readonly notice: number })
    | null
  >(null);
  asked = $state.raw<Asked | null>(null);
  #awaited: Side | null = null;

  readonly pane = (side: Side): Pane => (side === 'local' ? this.local : this.remote);

  get facts() {
    return { connected: link.connected, role: master.role };
  }

  /** Why nothing can be put into the folder shown on a side. */
  readonly putRefusal = (side: Side): string | undefined =>
    putRefusalOn(side, this.pane(side).path, this.facts);

  readonly changeRefusal = ({ side, entries }: Chosen): string | undefined =>
    changeRefusalOn(side, entries, { folder: this.pane(side).path, facts: this.facts });

  /** Why entries cannot travel to the folder shown on the other side. */
  readonly transferRefusal = ({ side, entries }: Chosen): string | undefined => {
    if (entries.length === 0) return 'Choose something first';
    if (side === 'local') return this.putRefusal('remote');
    return readRefusal(this.facts) ?? this.putRefusal(otherSide(side));
  };

  /** Why entries cannot leave for the folder shown on the other side. */
  readonly moveRefusal = (what: Chosen): string | undefined =>
    this.transferRefusal(what) ?? this.changeRefusal(what);

  get writeRefusal(): string | undefined {
    return writeRefusal(this.facts);
  }

  /** Gives the keyboard to a side; with one side shown, that one is shown. */
  readonly goTo = (side: Side): void => {
    this.side = side;
    // The list of a side that was hidden is there only after the next drawing.
    requestAnimationFrame(() => this.pane(side).focus());
  };

  /** The screen is about to be shown, and this side of it is to have the keyboard: what had it will be gone by then. */
  readonly focusWhenShown = (side: Side): void => {
    this.side = side;
    this.#awaited = side;
  };

  /** Told by a side that is shown from now on. @returns whether it is to take the keyboard, once */
  readonly takesFocus = (side: Side): boolean => {
    const awaited = this.#awaited === side;
    if (awaited) this.#awaited = null;
    return awaited;
  };
}
