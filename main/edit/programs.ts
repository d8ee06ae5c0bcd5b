/** Extensions of files that a program or desktop may run, install or follow as a link on any system. */
const EVERYWHERE = ['appimage', 'desktop', 'exe', 'jar', 'jnlp', 'lnk', 'msi', 'run', 'url', 'webloc'];

/** Extensions of files that Windows runs on a double click: PATHEXT, scripts, installers, and files that start them. */
const WINDOWS = [
  ...['bat', 'cmd', 'com', 'cpl', 'pif', 'scr', 'scf'],
  ...['hta', 'js', 'jse', 'vb', 'vbe', 'vbs', 'ws', 'wsc', 'wsf', 'wsh'],
  ...['ps1', 'ps1xml', 'psc1', 'psd1', 'psm1', 'bash', 'pl', 'py', 'pyc', 'pyw', 'pyz', 'rb', 'sh', 'tcl'],
  ...['appinstaller', 'application', 'appref-ms', 'appx', 'appxbundle', 'msix', 'msixbundle', 'msp', 'mst'],
  ...['chm', 'diagcab', 'gadget', 'hlp', 'inf', 'library-ms', 'msc', 'reg', 'search-ms', 'settingcontent-ms'],
  ...['img', 'iso', 'theme', 'themepack', 'vhd', 'vhdx', 'website', 'xbap', 'xll'],
];

const MACOS = [
  ...['action', 'app', 'applescript', 'command', 'fileloc', 'inetloc', 'osax', 'prefpane', 'scpt', 'scptd'],
  ...['dmg', 'mpkg', 'pkg', 'terminal', 'tool', 'workflow'],
];

const everywhere = new Set(EVERYWHERE);
const windows = new Set(WINDOWS);
const macos = new Set(MACOS);

/**
 * Returns whether this computer would run the file instead of showing it. A person with write access to the master
 * must not be able to run programs on this computer.
 *
 * Files that are programs by permission bits alone need no check, because a copy gets no execute bits.
 *
 * Example: `tool.exe` on `win32` → true.
 */
export function isProgram(name: string, platform: NodeJS.Platform): boolean {
  const ending = /\.([^.]+)$/.exec(name.replace(/[. ]+$/, ''))?.[1]?.toLowerCase() ?? '';
  if (everywhere.has(ending)) return true;
  if (platform === 'win32') return windows.has(ending);
  return platform === 'darwin' && macos.has(ending);
}
