import { app, BrowserWindow, nativeImage, nativeTheme, screen } from 'electron';
import icon from '../../build/icons/64x64.png?inline';
import type { WindowState } from '../vault/settings.ts';
import { MIN_SIZE, restoreBounds } from './bounds.ts';
import { fallbackWords, isFallbackRuntime } from '#shared/runtime.ts';
import { hardenContents } from './harden.ts';

/** Background colours of the page, as in renderer/ui/tokens.css. Without them a dark window would open white. */
const BACKGROUND = { light: '#f3f5f3', dark: '#0f1210' } as const;

/**
 * Delay after the last move or resize before the window's state is saved (ms). The state is also saved when the app
 * quits.
 */
const SAVE_AFTER_MS = 500;

interface WindowOptions {
  readonly preload: string;
  readonly saved: WindowState | null;
  /**
   * Size of the window to use instead of the saved one (pixels). This size is not saved. Null: the saved size is
   * used.
   */
  readonly size: { readonly width: number; readonly height: number } | null;
  readonly save: (state: WindowState) => void;
}

/**
 * Opens the app's window: sandboxed, isolated, without Node.js (docs/adr/0002). The window is shown after its first
 * paint.
 */
export function openMainWindow(options: WindowOptions): BrowserWindow {
  const displays = screen.getAllDisplays().map(({ workArea }) => workArea);
  const bounds = restoreBounds(options.saved, displays);
  const fallback = isFallbackRuntime(process.versions.electron);
  const window = new BrowserWindow({
    title: fallback ? `Overworld – ${fallbackWords(process.versions.electron)}` : 'Overworld',
    ...position(bounds),
    width: options.size?.width ?? bounds.width,
    height: options.size?.height ?? bounds.height,
    useContentSize: options.size !== null,
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    show: false,
    // Windows and macOS use the program's icon. On Linux, a window without its own icon shows a blank icon.
    ...(process.platform === 'linux' && { icon: nativeImage.createFromDataURL(icon) }),
    backgroundColor: background(),
    webPreferences: {
      preload: options.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      devTools: !app.isPackaged,
      spellcheck: false,
      // Disables middle clicks on links, which would try to open new windows. The handlers of hardenContents never
      // see them.
      disableBlinkFeatures: 'Auxclick',
      // Chromium stores the compiled code of the whole page at the first load.
      v8CacheOptions: 'bypassHeatCheckAndEagerCompile',
      // Live numbers keep updating while the window is covered, and the screenshot works without a user.
      backgroundThrottling: false,
    },
  });
  hardenContents(window.webContents);
  // Otherwise, the title of the page would replace the title of the window.
  if (fallback) window.on('page-title-updated', (event) => event.preventDefault());
  if (bounds.maximized && options.size === null) window.maximize();
  window.once('ready-to-show', () => window.show());
  const onTheme = () => window.setBackgroundColor(background());
  nativeTheme.on('updated', onTheme);
  window.once('closed', () => nativeTheme.off('updated', onTheme));
  if (options.size === null) saveChanges(window, options.save);
  return window;
}

function saveChanges(window: BrowserWindow, save: (state: WindowState) => void): void {
  let timer: NodeJS.Timeout | undefined;
  const saveSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => save(windowState(window)), SAVE_AFTER_MS);
  };
  window.on('resize', saveSoon);
  window.on('move', saveSoon);
  window.on('maximize', saveSoon);
  window.on('unmaximize', saveSoon);
  window.once('closed', () => clearTimeout(timer));
}

/**
 * Returns the window's state. For a maximized window, returns the position and size that it will have when it is no
 * longer maximized.
 */
export function windowState(window: BrowserWindow): WindowState {
  return { ...window.getNormalBounds(), maximized: window.isMaximized() };
}

function position({ x, y }: WindowState): { x: number; y: number } | { center: true } {
  return x === undefined || y === undefined ? { center: true } : { x, y };
}

function background(): string {
  return nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light;
}
