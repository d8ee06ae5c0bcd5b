import { z } from 'zod';
import { channel, done, nothing } from './channel.ts';

export const themeSchema = z.enum(['system', 'light', 'dark']);
export type Theme = z.infer<typeof themeSchema>;

/** How the app is for this person. */
export const preferencesSchema = z.strictObject({
  theme: themeSchema,
  density: z.enum(['comfortable', 'compact']),
  /** What the system tells when the window is not in front. */
  notifications: z.strictObject({ failures: z.boolean(), nodes: z.boolean(), playerLimit: z.boolean() }),
  /** Keeps running in the tray when its window is closed. */
  closeToTray: z.boolean(),
  /** Transfers at the same time. */
  parallelTransfers: z.int().min(1).max(10),
});
export type Preferences = z.infer<typeof preferencesSchema>;

/** Names of texts that are not saved, told at once. */
export const MAX_UNSAVED = 1000;

/** What is about the app itself. */
export const appRequests = {
  'app.info': channel(
    nothing,
    z.strictObject({
      version: z.string(),
      electron: z.string(),
      chromium: z.string(),
      node: z.string(),
      platform: z.string(),
      /** True when Electron's own sandbox is off (root). */
      unsandboxed: z.boolean(),
      dataFolder: z.string(),
      /** This app's public key, one line, to authorize on a master. */
      publicKey: z.string(),
    }),
  ),
  'app.preferences': channel(nothing, preferencesSchema),
  /** Changes those that are given. */
  'app.setPreferences': channel(preferencesSchema.partial(), preferencesSchema),
  /** Puts a text on the clipboard. */
  'app.copyText': channel(z.strictObject({ text: z.string().max(1_000_000) }), done),
  /** Small values the window remembers over restarts: last place, sizes. */
  'app.memory': channel(nothing, z.record(z.string(), z.string())),
  'app.remember': channel(z.strictObject({ key: z.string().max(64), value: z.string().max(4096) }), done),
  /** All that is typed and not saved, by name ("template lobby"): main asks about it before the app ends. */
  'app.unsaved': channel(z.strictObject({ names: z.array(z.string().max(5000)).max(MAX_UNSAVED) }), done),
} as const;
