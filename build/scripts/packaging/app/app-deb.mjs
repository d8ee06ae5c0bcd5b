import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../paths.mjs';
import { listTree } from '../contents/tree.mjs';
import { projectFacts } from '../project-facts.mjs';

/** @typedef {import('../deb/control.mjs').DebArch} DebArch */
/** @typedef {import('../contents/tree.mjs').TreeFile} TreeFile */

/** Folder of the app on a computer. */
const home = 'usr/lib/overworld';

/** Sizes of the icon in menus (px). */
const iconSizes = [16, 24, 32, 48, 64, 128, 256, 512];

/**
 * Debian packages of the shared libraries that Electron's executable is linked against, and of the libraries that
 * Electron loads only when it needs them. Newer releases of Debian provide the old names as well (`libgtk-3-0t64`
 * provides `libgtk-3-0`).
 */
const libraries = [
  ...['libasound2', 'libatk-bridge2.0-0', 'libatk1.0-0', 'libatspi2.0-0', 'libc6 (>= 2.31)', 'libcairo2'],
  ...[
    'libcups2',
    'libdbus-1-3',
    'libdrm2',
    'libexpat1',
    'libgbm1',
    'libgcc-s1',
    'libglib2.0-0',
    'libgtk-3-0',
  ],
  ...[
    'libnotify4',
    'libnspr4',
    'libnss3',
    'libpango-1.0-0',
    'libsecret-1-0',
    'libudev1',
    'libx11-6',
    'libxcb1',
  ],
  ...['libxcomposite1', 'libxdamage1', 'libxext6', 'libxfixes3', 'libxkbcommon0', 'libxrandr2', 'libxss1'],
  ...['libxtst6', 'xdg-utils'],
];

/**
 * Describes the app's Debian package.
 *
 * @param {DebArch} arch
 * @returns {import('../deb/control.mjs').DebFacts}
 */
export function appDebFacts(arch) {
  const { version, homepage, maintainer } = projectFacts();
  return {
    name: 'overworld',
    version,
    arch,
    homepage,
    maintainer,
    section: 'net',
    depends: libraries,
    // Electron moves files to the trash with gio; services on this computer need Java.
    recommends: ['default-jre-headless', 'fonts-dejavu-core', 'libglib2.0-bin'],
    synopsis: 'desktop app that runs a Minecraft network in the cloud',
    description: [
      'Overworld starts and stops Minecraft servers and proxies as players need them, on this computer or on cloud nodes. The app contains a master, and connects to masters on servers.',
    ],
  };
}

/**
 * Returns the files of the app's Debian package.
 *
 * @param {string} unpacked folder of the app that electron-builder has made
 * @returns {Promise<{ files: TreeFile[], scripts: TreeFile[] }>}
 */
export async function appDeb(unpacked) {
  const program = await listTree(unpacked, home);
  const sandbox = `${home}/chrome-sandbox`;
  const icons = iconSizes.map((size) => ({
    path: `usr/share/icons/hicolor/${size}x${size}/apps/overworld.png`,
    from: join(root, 'build', 'icons', `${size}x${size}.png`),
  }));
  return {
    files: [
      // Some kernels do not allow unprivileged users to create user namespaces (Ubuntu 24.04). There, Chromium's
      // sandbox needs root's rights.
      ...program.map((file) => (file.path === sandbox ? { ...file, mode: 0o4755 } : file)),
      ...icons,
      { path: 'usr/bin/overworld', link: '../lib/overworld/overworld' },
      { path: 'usr/share/applications/overworld.desktop', text: desktopEntry },
      { path: 'usr/share/doc/overworld/copyright', text: await readFile(join(root, 'LICENSE'), 'utf8') },
    ],
    scripts: [],
  };
}

/** Entry of the app in desktop menus (Desktop Entry Specification 1.5). */
const desktopEntry = `[Desktop Entry]
Type=Application
Name=Overworld
Comment=Run a Minecraft network in the cloud
Exec=/usr/bin/overworld %U
Icon=overworld
Terminal=false
StartupWMClass=overworld
Categories=Network;
`;
