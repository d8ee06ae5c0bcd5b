import type { Hue } from '../hue.ts';

/** An entry of a list of versions. */
export interface VersionItem {
  readonly id: string;
  /** Time of the version (ms since epoch). */
  readonly at: number;
  /** Whether the version cannot be chosen. */
  readonly disabled?: boolean;
  readonly tags: readonly { readonly hue: Hue; readonly word: string; readonly title?: string }[];
  /** Lines under the time, each with its tooltip. */
  readonly facts: readonly { readonly text: string; readonly title: string }[];
}
