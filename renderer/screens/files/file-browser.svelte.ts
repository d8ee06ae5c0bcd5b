import { link } from '../../stores/connection/link.svelte.ts';
import { LocalFolder } from '../../stores/files/local-folder.svelte.ts';
import { master } from '../../stores/master.svelte.ts';
import type { Entry } from '../../stores/files/folder.svelte.ts';
import { RemoteFolder } from '../../stores/files/remote-folder.svelte.ts';
import { changeRefusalOn, putRefusalOn, readRefusal, writeRefusal } from './access.ts';
import { Pane } from './browser/pane.svelte.ts';
import { otherSide, type Side } from './sides.ts';

/** Entries of one side to act on. */
export interface Chosen {
  readonly side: Side;
  readonly entries: readonly Entry[];
}

/** A dialog of the Files screen, and the entries that it concerns. */
export type FileDialog =
  | { readonly kind: 'new folder'; readonly side: Side }
  | ({ readonly kind: 'delete' } & Chosen)
  | ({ readonly kind: 'properties' } & Chosen)
  | { readonly kind: 'permissions'; readonly entries: readonly Entry[] }
  | ({ readonly kind: 'move across'; readonly folder: string } & Chosen)
  | { readonly kind: 'copy' | 'move'; readonly entries: readonly Entry[] }
  | { readonly kind: 'history'; readonly template: string };

/** State of the Files screen: both sides, and the state that they share. */
export class FileBrowser {
  readonly localFolder = new LocalFolder();
  readonly remoteFolder = new RemoteFolder();
  readonly local = new Pane({ side: 'local', folder: this.localFolder });
  readonly remote = new Pane({ side: 'remote', folder: this.remoteFolder });
  /** The side that has or last had the focus. */
  side = $state<Side>('remote');
  /** Whether both sides are shown. If false, only the side in `side` is shown. */
  both = $state(true);
  /** Entries that were copied or cut. */
  clipboard = $state.raw<
    | (Chosen & {
        readonly cut: boolean;
        /** Id of the toast that explains how to paste. */
        readonly notice: number;
      })
    | null
  >(null);
  asked = $state.raw<FileDialog | null>(null);
  #awaited: Side | null = null;

  readonly pane = (side: Side): Pane => (side === 'local' ? this.local : this.remote);

  get facts() {
    return {
      connected: link.connected,
      role: master.role,
      readsFiles: master.readsFiles,
      limit: master.limit,
    };
  }

  /** Returns why files cannot be added to the folder shown on a side. Undefined if they can. */
  readonly putRefusal = (side: Side): string | undefined =>
    putRefusalOn(side, this.pane(side).path, this.facts);

  readonly changeRefusal = ({ side, entries }: Chosen): string | undefined =>
    changeRefusalOn(side, entries, { folder: this.pane(side).path, facts: this.facts });

  /** Returns why entries cannot be transferred to the folder shown on the other side. Undefined if they can. */
  readonly transferRefusal = ({ side, entries }: Chosen): string | undefined => {
    if (entries.length === 0) return 'Select something first';
    if (side === 'local') return this.putRefusal('remote');
    return readRefusal(this.facts) ?? this.putRefusal(otherSide(side));
  };

  /** Returns why entries cannot be moved to the folder shown on the other side. Undefined if they can. */
  readonly moveRefusal = (what: Chosen): string | undefined =>
    this.transferRefusal(what) ?? this.changeRefusal(what);

  get writeRefusal(): string | undefined {
    return writeRefusal(this.facts);
  }

  /** Focuses a side, and shows it if only one side is visible. */
  readonly goTo = (side: Side): void => {
    this.side = side;
    // The list of a hidden side exists only after the next frame.
    requestAnimationFrame(() => this.pane(side).focus());
  };

  /** Focuses a side as soon as the screen shows it. The element that has the focus now will be removed. */
  readonly focusWhenShown = (side: Side): void => {
    this.side = side;
    this.#awaited = side;
  };

  /**
   * Called by a side when it appears. Returns whether the side must take the focus because of {@link focusWhenShown}.
   * Returns true only once per call of {@link focusWhenShown}.
   */
  readonly takesFocus = (side: Side): boolean => {
    const awaited = this.#awaited === side;
    if (awaited) this.#awaited = null;
    return awaited;
  };
}
