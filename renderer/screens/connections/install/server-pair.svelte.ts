import type { ServerDraft } from '#shared/ipc/contract.ts';
import type { ServerForm } from './server-form.svelte.ts';

/** The server that a move leaves, or the one that it leads to. */
export type MoveSide = 'old' | 'new';

/** State of the two forms of a move, of which one is shown at a time. */
export class ServerPair<D> {
  readonly old: ServerForm<ServerDraft>;
  readonly new: ServerForm<D>;
  shown: MoveSide;

  constructor(forms: {
    readonly old: ServerForm<ServerDraft>;
    readonly new: ServerForm<D>;
    shown: MoveSide;
  }) {
    this.old = forms.old;
    this.new = forms.new;
    this.shown = $state(forms.shown);
  }

  /** Loads what the forms suggest. */
  readonly load = async (): Promise<void> => {
    await Promise.all([this.old.load(), this.new.load()]);
  };

  /**
   * Validates the given forms, and shows the errors of the first one that has some.
   *
   * @returns whether they have no errors; their drafts are then in `checked`
   */
  readonly submit = (sides: readonly MoveSide[]): boolean => {
    const wrong = sides.find((side) => this[side].submit() === null);
    if (wrong !== undefined) this.shown = wrong;
    return wrong === undefined;
  };
}
