import type { Service } from '#shared/model/service.ts';
import type { Grouping } from '../../ui/table/table.ts';
import { shownStates, stateWords, toShownState, type ShownState } from '../../view/service/service.ts';

/** Groupings of services. */
export const groupings: readonly Grouping<Service>[] = [
  { id: 'template', title: 'Template', keyOf: ({ template }) => template, label: (template) => template },
  {
    id: 'node',
    title: 'Node',
    keyOf: ({ node }) => node ?? '',
    // Services without a node come last.
    rankOf: (node) => (node === '' ? 1 : 0),
    label: (node) => (node === '' ? 'No node yet' : node),
  },
  {
    id: 'state',
    title: 'State',
    keyOf: toShownState,
    rankOf: (state) => shownStates.indexOf(state as ShownState),
    label: (state) => stateWords[state as ShownState].word,
  },
];
