/** Folder that the paths of a row start from. `settings` and `local` are the system's folders for program data. */
export type BaseFolder = 'home' | 'settings' | 'local';

/** One kind of data that the window may not access. */
interface Closed {
  readonly what: string;
  readonly base: BaseFolder;
  readonly paths: readonly string[];
  /** Environment variables with which a person moves this data to other paths. These paths are closed, too. */
  readonly moved?: readonly string[];
}

/**
 * Keys, passwords and logins of other programs. Each row has the paths where a program stores them.
 *
 * The window shows data of a master, so a compromised page could otherwise upload credentials. Whole browser profiles
 * are closed, because cookies are logins. Source of each row: the program's own manual.
 */
export const closedTable: readonly Closed[] = [
  { what: 'SSH', base: 'home', paths: ['.ssh', '.putty'] },
  { what: 'OpenPGP', base: 'home', paths: ['.gnupg'], moved: ['GNUPGHOME'] },
  { what: 'OpenPGP', base: 'settings', paths: ['gnupg'] },
  {
    what: 'password stores',
    base: 'home',
    paths: ['.password-store', '.pki'],
    moved: ['PASSWORD_STORE_DIR'],
  },
  {
    what: 'password stores',
    base: 'settings',
    paths: [
      'Bitwarden',
      'Bitwarden CLI',
      '1Password',
      'op',
      'keepassxc',
      'KeePassXC',
      'KeePass',
      'sops',
      'age',
    ],
  },
  {
    what: 'keyrings',
    base: 'home',
    paths: ['.local/share/keyrings', '.local/share/kwalletd', '.kde/share/apps/kwallet'],
  },
  { what: 'keyrings', base: 'home', paths: ['Library/Keychains', 'Library/Cookies'] },
  {
    what: 'keyrings',
    base: 'settings',
    paths: ['Microsoft/Credentials', 'Microsoft/Crypto', 'Microsoft/Protect', 'Microsoft/Vault'],
  },
  { what: 'keyrings', base: 'local', paths: ['Microsoft/Credentials', 'Microsoft/Vault', '1Password'] },
  {
    what: 'browsers and mail',
    base: 'home',
    paths: [
      ...['.mozilla', '.thunderbird', '.librewolf', '.waterfox'],
      ...['snap/firefox', 'snap/chromium', 'snap/thunderbird', 'snap/brave', 'snap/opera'],
      // Flatpak stores the data of all its programs here, including browsers and messengers.
      '.var/app',
      ...['Library/Safari', 'Library/Containers/com.apple.Safari', 'Library/Mail'],
    ],
  },
  {
    what: 'browsers and mail',
    base: 'settings',
    paths: [
      ...[
        'google-chrome',
        'google-chrome-beta',
        'google-chrome-unstable',
        'chromium',
        'BraveSoftware',
        'vivaldi',
      ],
      ...[
        'microsoft-edge',
        'opera',
        'mozilla',
        'librewolf',
        'Google/Chrome',
        'Chromium',
        'Microsoft Edge',
        'Vivaldi',
      ],
      ...[
        'com.operasoftware.Opera',
        'Opera Software',
        'Firefox',
        'Mozilla',
        'Thunderbird',
        'LibreWolf',
        'Waterfox',
      ],
      ...['Arc', 'evolution'],
    ],
  },
  {
    what: 'browsers and mail',
    base: 'local',
    paths: [
      'Google/Chrome',
      'Chromium',
      'BraveSoftware',
      'Microsoft/Edge',
      'Vivaldi',
      'Mozilla',
      'LibreWolf',
    ],
  },
  {
    what: 'messengers',
    base: 'settings',
    paths: ['discord', 'Discord', 'Signal', 'Slack', 'Element', 'Telegram Desktop'],
  },
  { what: 'messengers', base: 'home', paths: ['.local/share/TelegramDesktop'] },
  {
    what: 'clouds',
    base: 'home',
    paths: [
      '.aws',
      '.azure',
      '.oci',
      '.boto',
      '.s3cfg',
      '.bluemix',
      '.terraform.d',
      '.terraformrc',
      '.pulumi',
      '.vault-token',
      '.fly',
    ],
    moved: [
      'AWS_SHARED_CREDENTIALS_FILE',
      'AWS_CONFIG_FILE',
      'CLOUDSDK_CONFIG',
      'GOOGLE_APPLICATION_CREDENTIALS',
    ],
  },
  // gcloud uses this folder on macOS as well.
  {
    what: 'clouds',
    base: 'home',
    paths: ['.config/gcloud', '.config/hcloud', '.config/doctl', '.config/rclone'],
  },
  {
    what: 'clouds',
    base: 'settings',
    paths: ['gcloud', 'hcloud', 'doctl', 'rclone', 'openstack', 'scw', 'linode-cli', 's3cmd'],
    moved: ['HCLOUD_CONFIG', 'RCLONE_CONFIG'],
  },
  {
    what: 'containers and clusters',
    base: 'home',
    paths: ['.kube', '.docker', '.config/containers', '.config/helm', '.minikube'],
    moved: ['KUBECONFIG', 'DOCKER_CONFIG', 'REGISTRY_AUTH_FILE'],
  },
  {
    what: 'packages',
    base: 'home',
    paths: [
      ...[
        '.npmrc',
        '.yarnrc',
        '.yarnrc.yml',
        '.pypirc',
        '.cargo/credentials',
        '.cargo/credentials.toml',
        '.gem/credentials',
      ],
      ...[
        '.m2/settings.xml',
        '.m2/settings-security.xml',
        '.gradle/gradle.properties',
        '.composer/auth.json',
        '.bunfig.toml',
      ],
      ...['.config/composer/auth.json', '.nuget/NuGet/NuGet.Config', '.condarc'],
    ],
    moved: ['NPM_CONFIG_USERCONFIG'],
  },
  {
    what: 'packages',
    base: 'settings',
    paths: ['pypoetry', 'NuGet', 'Composer/auth.json', 'npm/npmrc', 'pip'],
  },
  {
    what: 'code',
    base: 'home',
    paths: [
      '.git-credentials',
      '.gitconfig',
      '.config/git',
      '.config/gh',
      '.config/glab-cli',
      '.config/hub',
      '.config/tea',
      '.subversion/auth',
    ],
  },
  {
    what: 'code',
    base: 'settings',
    paths: ['GitHub CLI', 'GitHub Desktop', 'gh', 'glab-cli', 'github-copilot'],
  },
  {
    what: 'network',
    base: 'home',
    paths: [
      ...[
        '.netrc',
        '_netrc',
        '.authinfo',
        '.authinfo.gpg',
        '.curlrc',
        '.wgetrc',
        '.smbcredentials',
        '.davfs2',
        '.cifs',
      ],
      ...[
        '.pgpass',
        '.my.cnf',
        '.mylogin.cnf',
        '.mongorc.js',
        '.msmtprc',
        '.fetchmailrc',
        '.mbsyncrc',
        '.rclone.conf',
      ],
      ...['.vnc', '.cert', '.openvpn', '.wireguard', '.Xauthority', '.ICEauthority', '.lftp'],
    ],
    moved: ['NETRC', 'PGPASSFILE', 'XAUTHORITY'],
  },
  {
    what: 'network',
    base: 'settings',
    paths: [
      'filezilla',
      'FileZilla',
      'remmina',
      'lftp',
      'wireguard',
      'NetworkManager',
      'postgresql/pgpass.conf',
    ],
  },
  { what: 'network', base: 'home', paths: ['.filezilla', '.local/share/remmina', '.local/share/lftp'] },
  {
    what: 'histories',
    base: 'home',
    paths: [
      ...[
        '.bash_history',
        '.zsh_history',
        '.zsh_sessions',
        '.zhistory',
        '.histfile',
        '.history',
        '.sh_history',
        '.ksh_history',
      ],
      ...[
        '.bash_sessions',
        '.local/share/fish',
        '.config/fish/fish_history',
        '.python_history',
        '.node_repl_history',
      ],
      ...[
        '.psql_history',
        '.mysql_history',
        '.sqlite_history',
        '.rediscli_history',
        '.dbshell',
        '.mongosh',
        '.lesshst',
      ],
      ...[
        '.viminfo',
        '.local/share/nvim/shada',
        '.local/state/nvim/shada',
        '.local/state/bash',
        '.wget-hsts',
        '.irb_history',
      ],
    ],
    moved: ['HISTFILE'],
  },
  { what: 'histories', base: 'settings', paths: ['Microsoft/Windows/PowerShell/PSReadLine'] },
  {
    what: 'launchers of the game',
    base: 'home',
    paths: ['.minecraft/launcher_accounts.json', '.minecraft/launcher_msa_credentials.bin'],
  },
  {
    what: 'launchers of the game',
    base: 'settings',
    paths: [
      '.minecraft/launcher_accounts.json',
      '.minecraft/launcher_msa_credentials.bin',
      'minecraft/launcher_accounts.json',
      'PrismLauncher/accounts.json',
    ],
  },
  {
    what: 'launchers of the game',
    base: 'home',
    paths: ['.local/share/PrismLauncher/accounts.json', '.local/share/multimc/accounts.json'],
  },
];
