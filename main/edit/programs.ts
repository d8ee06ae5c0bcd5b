/** Endings that some program or desktop of each system runs, installs or follows when such a file is opened. */
const EVERYWHERE = ['appimage', 'desktop', 'exe', 'jar', 'jnlp', 'lnk', 'msi', 'run', 'url', 'webloc'];

/** What Windows runs by a double click: PATHEXT, script hosts, installers, and files that lead to such. */
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
 * True for a file that this computer would run rather than show when it is opened. Whoever may write on the master must
 * not choose what runs here. Files that are told by their permission bits alone are no matter: a copy gets none.
 */
export function isProgram(name: string, platform: NodeJS.Platform): boolean {
  const ending = /\.([^.]+)$/.exec(name.replace(/[. ]+$/, ''))?.[1]?.toLowerCase() ?? '';
  if (everywhere.has(ending)) return true;
  if (platform === 'win32') return windows.has(ending);
  return platform === 'darwin' && macos.has(ending);
}
