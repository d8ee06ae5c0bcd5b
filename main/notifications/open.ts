import type { ShownNote } from './watch.ts';

interface Options {
  /** Returns the id of the connection in use. */
  readonly connection: () => string;
  /** Returns whether the app quits. A switch to another master could start this master while the app exits. */
  readonly isClosed: () => boolean;
  /**
   * Returns whether the current master may be left for another connection. A switch reloads the page, which loses
   * unsaved texts, so the person is asked if there are some.
   */
  mayLeave(connection: string): Promise<boolean>;
  /** Switches to a connection. Resolves once the page is loaded for its master. @throws OverworldError */
  use(connection: string): Promise<void>;
  /** Brings the window to the front. */
  showWindow(): void;
  /** Opens a route in the window. */
  navigate(route: string): void;
}

/**
 * Opens the window at the route of a notification. If the window shows another master by now, first switches to the
 * master of the notification. If the switch would lose unsaved texts, asks the person first: the click is no consent
 * to lose them. Does nothing while the app quits.
 *
 * @throws OverworldError CONNECTION_NOT_FOUND if the connection was removed; the window is shown nevertheless
 */
export async function openNote({ route, connection }: ShownNote, options: Options): Promise<void> {
  if (options.isClosed()) return;
  options.showWindow();
  if (options.connection() !== connection) {
    if (!(await options.mayLeave(connection)) || options.isClosed()) return;
    // The end of an installation may have caused the same switch during the question.
    if (options.connection() !== connection) await options.use(connection);
  }
  // While the page was loading, the person may have switched again.
  if (options.connection() === connection) options.navigate(route);
}
