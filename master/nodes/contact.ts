import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { Machine } from './machines.ts';
import type { NodeShell } from './shell.ts';

/**
 * State of a machine as seen by the master:
 * - `waiting`: it has not answered since it was ordered
 * - `preparing`: it answers and is being set up
 * - `ready`: it answers and can run services
 * - `unprepared`: it was ready before and answers, but is not prepared for services at the moment
 * - `silent`: it was ready before and is not reachable
 *
 * A `problem` is a clause such as "nothing is listening on its port 22"; null until an attempt to connect has failed.
 * A `step` is the current step of the set-up, as a sentence.
 */
export type ContactState =
  | { readonly kind: 'waiting'; readonly problem: string | null }
  | { readonly kind: 'preparing'; readonly step: string }
  | { readonly kind: 'ready' }
  /**
   * `since`: time from which the node's services cannot be observed, on the clock of `monotonicMs()`. `isSettingUp`:
   * whether the first set-up since the node was silent is not finished, so that the node may hang; default false.
   */
  | {
      readonly kind: 'unprepared';
      readonly since: number;
      readonly problem: string;
      readonly isSettingUp?: boolean;
    }
  | { readonly kind: 'silent'; readonly since: number; readonly problem: string };

/** Contact with one machine. */
export interface Contact {
  readonly state: ContactState;
  readonly shell: NodeShell;
  /** Whether Java was found at the last check. */
  readonly hasJava: boolean;
  /**
   * Problem that does not prevent the machine from working, such as a wrong clock, as one sentence; null if there
   * is none.
   */
  readonly warning: string | null;
}

/** Connections to all machines. */
export interface Contacts {
  /** Keeps connections to exactly these machines from now on. */
  keep(machines: readonly Machine[]): void;
  /** Returns the contact with a node; undefined if no connection to it is kept. */
  of(node: NodeId): Contact | undefined;
  /** Subscribes to state changes. @returns a function that unsubscribes */
  onChange(listener: (node: NodeId) => void): () => void;
  close(): Promise<void>;
}
