import { deletedDataWords } from '#shared/text/deleted-data.ts';

/** What runs on the embedded master. */
export interface Running {
  readonly services: number;
  /** Number of nodes that cost money. */
  readonly nodes: number;
}

/** What a person can choose when the app quits. */
export type QuitChoice = 'stop' | 'keep' | 'cancel';

/**
 * Question before the app quits. `buttons`: the choices with their texts; the last one is `cancel`.
 * `canRemember`: whether the app may do the same whenever it quits.
 */
interface RunningQuestion {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly { readonly choice: QuitChoice; readonly text: string }[];
  readonly canRemember: boolean;
}

const cancel = { choice: 'cancel', text: 'Cancel' } as const;

/** Returns the question about running services and cloud nodes before the app quits. */
export function questionAboutRunning({ services, nodes }: Running): RunningQuestion {
  const costs = nodes === 0 ? [] : [costWords(nodes)];
  if (services === 0) {
    return {
      message: nodes === 1 ? 'There is 1 cloud node.' : `There are ${nodes} cloud nodes.`,
      detail: costs.join(''),
      buttons: [{ choice: 'keep', text: 'Quit' }, cancel],
      canRemember: false,
    };
  }
  const many = services === 1 ? '1 service is' : `${services} services are`;
  return {
    message: `${many} running${nodes === 0 ? ' on this computer' : ''}.`,
    detail: [
      `If you stop ${services === 1 ? 'it' : 'them'}: ${deletedDataWords({ count: services, persistent: null })}`,
      'Services that keep running continue to serve their players without the app, but nothing starts, stops or ' +
        'scales until it is opened again.',
      ...costs,
    ].join('\n\n'),
    buttons: [
      { choice: 'stop', text: 'Stop services and quit' },
      { choice: 'keep', text: 'Keep them running' },
      cancel,
    ],
    canRemember: true,
  };
}

function costWords(nodes: number): string {
  return nodes === 1
    ? '1 cloud node goes on costing money until a master releases it. The app must be open for that.'
    : `${nodes} cloud nodes go on costing money until a master releases them. The app must be open for that.`;
}
