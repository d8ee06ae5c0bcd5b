import { z } from 'zod';
import { RememberedDocument } from './remembered-document.svelte.ts';

const layoutSchema = z.strictObject({
  order: z.array(z.string()),
  shown: z.record(z.string(), z.boolean()),
  widths: z.record(z.string(), z.number()),
});

/** How a person looks at one table. */
const tableViewSchema = z.strictObject({
  layout: layoutSchema,
  sort: z.strictObject({ column: z.string(), descending: z.boolean() }).nullable(),
  /** Id of the grouping; null: none. */
  grouping: z.string().nullable(),
  /** Keys of folded groups. */
  folded: z.array(z.string()),
});
export type TableView = z.infer<typeof tableViewSchema>;

/** What is kept of a table's look over restarts. @param name of the table: `services` */
function rememberedTable(name: string, first: Pick<TableView, 'sort'>): RememberedDocument<TableView> {
  return new RememberedDocument(`table.${name}`, tableViewSchema, {
    layout: { order: [], shown: {}, widths: {} },
    grouping: null,
    folded: [],
    ...first,
  });
}

/** The table of all services. */
export const serviceTable = rememberedTable('services', { sort: { column: 'id', descending: false } });

/** The table of all players. */
export const playerTable = rememberedTable('players', { sort: { column: 'name', descending: false } });
