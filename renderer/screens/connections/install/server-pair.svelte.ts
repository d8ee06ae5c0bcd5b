import type { ServerDraft } from '#shared/ipc/contract.ts';
import type { ServerForm } from './server-form.svelte.ts';

/** The two servers of a move: the one that the master leaves, and the one that the master moves to. */
export type MoveSide = 'old' | 'new';

/** State of the two forms of a move. One of the forms is shown at a time. */
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

  /** Loads the suggestions of both forms. */
  readonly load = async (): Promise<void> => {
    await Promise.all([this.old.load(), this.new.load()]);
  };

  /**
   * Validates the given forms. Shows the errors of the first form that has errors.
   *
   * @returns whether all given forms are valid; `checked` then contains their drafts
   */
  readonly submit = (sides: readonly MoveSide[]): boolean => {
    const wrong = sides.find((side) => this[side].submit() === null);
    if (wrong !== undefined) this.shown = wrong;
    return wrong === undefined;
  };
}
