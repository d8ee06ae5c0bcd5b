import type { ForeignServer } from '#shared/model/foreign-server.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import { emitNodeEvent } from '#master/state/feed/emit-event.ts';

/**
 * Deletes a server of another network at the provider because a person requested it, and writes an event.
 *
 * @param actor name of the person's key
 * @throws OverworldError NODE_NOT_FOUND, RELEASE_REFUSED, PROVIDER_UNREACHABLE
 */
export async function deleteForeignServer(
  { registry, events, topics }: Pick<NodeAccess, 'registry'> & Feed,
  server: Pick<ForeignServer, 'name' | 'network'>,
  actor: string,
): Promise<void> {
  const { name, network } = server;
  await registry.deleteForeignServer(server);
  const message = `Server ${name} of another network (${network}) is deleted at the provider`;
  emitNodeEvent(events, name, { kind: 'node.released', message, cause: `requested by ${actor}`, actor });
  topics.publish('nodes');
}
