import type { Push, PushName } from '#shared/ipc/contract.ts';

/** Pushes a value to the window. Does nothing while no window is open. */
export type Tell = <P extends PushName>(name: P, value: Push<P>) => void;
