import { z } from 'zod';

/** Node states of design 4. The local node is READY from the start. */
export const nodeStates = [
  'ORDERED',
  'BOOTING',
  'READY',
  'CORDONED',
  'DRAINING',
  'DELETING',
  'LOST',
] as const;
export const nodeStateSchema = z.enum(nodeStates);

/** A machine that runs services, as the admin API shows it. RAM in MB (2^20 bytes). */
export const nodeSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(['local', 'hetzner']),
  state: nodeStateSchema,
  address: z.string(),
  ram: z.strictObject({ totalMb: z.int(), allocatedMb: z.int() }),
  services: z.int(),
});
export type Node = z.infer<typeof nodeSchema>;
