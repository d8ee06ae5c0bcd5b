import type { Node } from '#shared/model/node.ts';
import type { Player } from '#shared/model/player.ts';
import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';

/** What the palette asks a person before it does it. */
export type Question =
  | { readonly kind: 'stop' | 'kill' | 'restart'; readonly service: Service }
  | { readonly kind: 'delete' | 'rolling restart'; readonly template: Template }
  | { readonly kind: 'kick' | 'send'; readonly player: Player }
  | { readonly kind: 'drain' | 'release'; readonly node: Node };
