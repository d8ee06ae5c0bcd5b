import { z } from 'zod';
import { RememberedDocument } from './remembered-document.svelte.ts';

const layoutSchema = z.strictObject({
  order: z.array(z.string()),
  shown: z.record(z.string(), z.boolean()),
  widths: z.record(z.string(), z.number()),
});

/** A person's settings for one table: sorting, columns and grouping. */
const tableViewSchema = z.strictObject({
  layout: layoutSchema,
  sort: z.strictObject({ column: z.string(), descending: z.boolean() }).nullable(),
  /** Id of the grouping. Null if rows are not grouped. */
  grouping: z.string().nullable(),
  /** Keys of collapsed groups. */
  folded: z.array(z.string()),
});
export type TableView = z.infer<typeof tableViewSchema>;

/**
 * Returns the stored view of a table.
 *
 * @param name name of the table, such as `services`
 * @param first sorting before the person changes it
 */
function rememberedTable(name: string, first: Pick<TableView, 'sort'>): RememberedDocument<TableView> {
  return new RememberedDocument(() => `table.${name}`, tableViewSchema, {
    layout: { order: [], shown: {}, widths: {} },
    grouping: null,
    folded: [],
    ...first,
  });
}

/** View of the table of all services. */
export const serviceTable = rememberedTable('services', { sort: { column: 'id', descending: false } });

/** View of the table of all players. */
export const playerTable = rememberedTable('players', { sort: { column: 'name', descending: false } });
