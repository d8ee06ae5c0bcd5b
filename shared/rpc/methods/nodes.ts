import { z } from 'zod';
import { foreignServerSchema } from '../../model/foreign-server.ts';
import { nodeSchema } from '../../model/node.ts';
import { done, method, nothing } from './method.ts';

/** Nodes and the cloud provider. */
export const nodesMethods = {
  'nodes.list': method('viewer', nothing, z.array(nodeSchema)),
  /**
   * Returns why the cloud provider cannot be reached or rejects requests, in one sentence. Null if neither applies.
   */
  'nodes.provider': method('viewer', nothing, z.strictObject({ trouble: z.string().nullable() })),
  /** Pauses or resumes the node's automation. */
  'nodes.hold': method('operator', z.strictObject({ id: z.string(), held: z.boolean() }), done),
  /** Protects a node from release, or removes the protection. The rules never release a protected node. */
  'nodes.lock': method('operator', z.strictObject({ id: z.string(), locked: z.boolean() }), done),
  /**
   * Changes whether a node takes services. `cordon`: the node takes no new services. `drain`: in addition, its
   * services are replaced on other nodes and stopped once they are unused. `resume`: cancels both.
   *
   * `release`: drains the node and deletes it at its provider once it is empty, even if the current hour is already
   * paid. `resume` also cancels this. Fails with NODE_NOT_RENTED for a machine that the provider does not run, and
   * with NODE_LOCKED for a protected node.
   */
  'nodes.schedule': method(
    'operator',
    z.strictObject({ id: z.string(), to: z.enum(['cordon', 'drain', 'release', 'resume']) }),
    done,
  ),
  /** Returns the servers of other networks in the provider's project, sorted by network and name. */
  'nodes.foreign': method('viewer', nothing, z.array(foreignServerSchema)),
  /**
   * Deletes a server of another network at the provider, which disconnects the players on it. Both the name and the
   * network must match. Returns once the provider has accepted the deletion.
   */
  'nodes.deleteForeign': method(
    'owner',
    z.strictObject({ network: z.string().min(1), name: z.string().min(1) }),
    done,
  ),
} as const;
