import type { Icon } from '../icon.ts';

/** A menu item, or a separator between groups. */
export type MenuItem =
  | {
      readonly kind?: 'item';
      readonly label: string;
      readonly icon?: Icon;
      readonly danger?: boolean;
      /**
       * Why the action is not possible now. The item stays visible and shows the reason. Undefined if the action is
       * possible.
       */
      readonly disabledBecause?: string | undefined;
      /** Shortcut shown at the right: "Del". */
      readonly keys?: string;
      readonly onselect: () => void;
    }
  | { readonly kind: 'separator' };
