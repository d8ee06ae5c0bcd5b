import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { Machine } from './machines.ts';
import type { NodeShell } from './shell.ts';

/**
 * What a master hears from a machine itself. `waiting`: it has not answered yet since it was ordered; `preparing`: it
 * answers and is made ready; `ready`; `unprepared`: it was ready before, and answers, but cannot be made able to run
 * services now; `silent`: it was ready before, and cannot be reached now. A `problem` is a clause such as "nothing listens on its port 22"; a `step` is a sentence.
 */
export type ContactState =
  | { readonly kind: 'waiting'; readonly problem: string | null }
  | { readonly kind: 'preparing'; readonly step: string }
  | { readonly kind: 'ready' }
  /** `since` on a clock that nobody sets, as `monotonicMs()` gives it: since when its services cannot be looked at. */
  | { readonly kind: 'unprepared'; readonly since: number; readonly problem: string }
  | { readonly kind: 'silent'; readonly since: number; readonly problem: string };

/** The way to one machine. */
export interface Contact {
  readonly state: ContactState;
  readonly shell: NodeShell;
  /** Whether Java was found there when it was last looked for. */
  readonly hasJava: boolean;
  /** What is wrong with it although it works, such as a clock that is off; one sentence, null when all is well. */
  readonly warning: string | null;
}

/** Connections to all machines. */
export interface Contacts {
  /** From now on connections are kept to these machines, and to no others. */
  keep(machines: readonly Machine[]): void;
  /** Undefined for a machine that is not kept. */
  of(node: NodeId): Contact | undefined;
  /** Calls back whenever a state changed. @returns a function that unsubscribes */
  onChange(listener: (node: NodeId) => void): () => void;
  close(): Promise<void>;
}
