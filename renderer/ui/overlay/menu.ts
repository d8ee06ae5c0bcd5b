import type { Icon } from '../icon.ts';

/** One line of a menu, or a line between groups. */
export type MenuItem =
  | {
      readonly kind?: 'item';
      readonly label: string;
      readonly icon?: Icon;
      readonly danger?: boolean;
      /** Why it cannot be done now; the line stays visible and says it. */
      readonly disabledBecause?: string | undefined;
      /** Shown at the right: "Del". */
      readonly keys?: string;
      readonly onselect: () => void;
    }
  | { readonly kind: 'separator' };
