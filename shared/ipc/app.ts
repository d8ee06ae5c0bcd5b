import { z } from 'zod';
import { channel, done, nothing } from './channel.ts';

export const themeSchema = z.enum(['system', 'light', 'dark']);
export type Theme = z.infer<typeof themeSchema>;

/** The person's preferences for the app. */
export const preferencesSchema = z.strictObject({
  theme: themeSchema,
  density: z.enum(['comfortable', 'compact']),
  /** Which system notifications appear while the window is not in front. */
  notifications: z.strictObject({ failures: z.boolean(), nodes: z.boolean(), playerLimit: z.boolean() }),
  /** Whether the app keeps running in the tray when its window is closed. */
  closeToTray: z.boolean(),
  /** What happens to running services of the embedded master when the app quits. `ask`: the person is asked. */
  onQuit: z.enum(['ask', 'stop', 'keep']),
  /** Number of transfers that run at the same time. */
  parallelTransfers: z.int().min(1).max(10),
});
export type Preferences = z.infer<typeof preferencesSchema>;

/** Maximum number of unsaved texts that the window reports in one request. */
export const MAX_UNSAVED = 1000;

/** Requests about the app itself. */
export const appRequests = {
  'app.info': channel(
    nothing,
    z.strictObject({
      version: z.string(),
      electron: z.string(),
      chromium: z.string(),
      node: z.string(),
      platform: z.string(),
      /** Whether Chromium's sandbox is off, for example because root runs the app. */
      unsandboxed: z.boolean(),
      dataFolder: z.string(),
      /** The app's public key in one line, which a person authorizes on a master. */
      publicKey: z.string(),
    }),
  ),
  'app.preferences': channel(nothing, preferencesSchema),
  /** Changes the given preferences and keeps the others. */
  'app.setPreferences': channel(preferencesSchema.partial(), preferencesSchema),
  /** Opens Mojang's EULA (`EULA_URL`) in the browser. The window cannot open any other address. */
  'app.openEula': channel(nothing, done),
  /** Copies a text to the clipboard. */
  'app.copyText': channel(z.strictObject({ text: z.string().max(1_000_000) }), done),
  /**
   * Returns small values that the window keeps across restarts, such as its last route and the sizes of its panes.
   */
  'app.memory': channel(nothing, z.record(z.string(), z.string())),
  'app.remember': channel(z.strictObject({ key: z.string().max(64), value: z.string().max(4096) }), done),
  /**
   * Reports the names of all unsaved texts ("template lobby"). Before the app quits, the main process asks the person
   * about these texts.
   */
  'app.unsaved': channel(z.strictObject({ names: z.array(z.string().max(5000)).max(MAX_UNSAVED) }), done),
} as const;
