import { z } from 'zod';

/** Service id: `<template>-<number>`. The numbers of a template only increase, so that no id is used twice. */
export const serviceIdSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}-[1-9][0-9]{0,9}$/);
export type ServiceId = z.infer<typeof serviceIdSchema>;

/**
 * Returns the id of the template to which a service belongs.
 *
 * Example: `bedwars-2-7` → `bedwars-2`.
 */
export function templateOfService(id: ServiceId): string {
  return id.slice(0, id.lastIndexOf('-'));
}
