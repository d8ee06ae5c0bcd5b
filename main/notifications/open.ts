import type { ShownNote } from './watch.ts';

interface Options {
  /** Returns the id of the connection in use. */
  readonly connection: () => string;
  /** Names of texts that the page has not saved. A switch to another master reloads the page and loses them. */
  readonly unsaved: { readonly names: readonly string[] };
  /** Switches to a connection. Resolves once the page is loaded for its master. @throws OverworldError */
  use(connection: string): Promise<void>;
  /** Brings the window to the front. */
  showWindow(): void;
  /** Opens a route in the window. */
  navigate(route: string): void;
}

/**
 * Opens the window at the route of a notification. If the window shows another master by now, first switches to the
 * master of the notification. If the switch would lose unsaved texts, only shows the window: the click is no consent
 * to lose them.
 *
 * @throws OverworldError CONNECTION_NOT_FOUND if the connection was removed; the window is shown nevertheless
 */
export async function openNote({ route, connection }: ShownNote, options: Options): Promise<void> {
  options.showWindow();
  if (options.connection() !== connection) {
    if (options.unsaved.names.length > 0) return;
    await options.use(connection);
  }
  // While the page was loading, the person may have switched again.
  if (options.connection() === connection) options.navigate(route);
}
