import type { Push, PushName } from '#shared/ipc/contract.ts';

/** Tells the window something; nothing happens before it is open, and after it is closed. */
export type Tell = <P extends PushName>(name: P, value: Push<P>) => void;
