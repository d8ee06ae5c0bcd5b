import type { Node } from '#shared/model/node.ts';
import type { Player } from '#shared/model/player.ts';
import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';

/** A question that the palette asks before it acts. */
export type Question =
  | { readonly kind: 'stop' | 'kill' | 'restart'; readonly service: Service }
  | { readonly kind: 'delete' | 'rolling restart'; readonly template: Template }
  | { readonly kind: 'kick' | 'send'; readonly player: Player }
  | { readonly kind: 'drain' | 'release'; readonly node: Node };
