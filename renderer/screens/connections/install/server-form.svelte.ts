import type { KeyFile, RememberedServer } from '#shared/ipc/contract.ts';
import { install, type Logins } from '../../../stores/connection/install.svelte.ts';
import { withSplitHost, type Checked, type TypedInstall } from '../../../view/install/draft.ts';

/** Values of the form. The forms of updates and logins use only those about the server. */
type Typed = TypedInstall;

interface Options<D> {
  readonly first: Typed;
  /** Validates the values. @param keys the private keys that can be chosen */
  readonly check: (typed: Typed, keys: readonly KeyFile[]) => Checked<Typed, D>;
  /** Returns how the app logged in to this server the last time. Null if the app has never logged in. */
  readonly last?: () => Promise<RememberedServer | null>;
}

/** State of a form about a server: the typed values, and which errors are shown. */
export class ServerForm<D> {
  typed: Typed;
  /** Ways to log in that this computer has. Null until the main process has responded. */
  logins = $state.raw<Logins | null>(null);
  /** The private keys that can be chosen. */
  keys = $state.raw<readonly KeyFile[]>([]);
  readonly checked: Checked<Typed, D> = $derived.by(() => this.#options.check(this.typed, this.keys));
  /** The chosen private key. Null if none is chosen. */
  readonly key: KeyFile | null = $derived(this.keys.find(({ path }) => path === this.typed.keyFile) ?? null);
  readonly #options: Options<D>;
  /** Fields that the person has left. Only their errors are shown. */
  #left = $state.raw<readonly (keyof Typed)[]>([]);
  /** Fields that the person has changed. Suggestions do not overwrite them. */
  #changed: readonly string[] = [];

  constructor(options: Options<D>) {
    this.typed = $state.raw(options.first);
    this.#options = options;
  }

  /** Loads the suggestions of the form: the ways to log in, and the last login to this server. */
  readonly load = async (): Promise<void> => {
    const [logins, last] = await Promise.all([
      // A password can be entered even if the computer's own logins cannot be read.
      install.logins().catch((): Logins => ({ agent: false, keyFiles: [] })),
      this.#options.last?.().catch(() => null) ?? null,
    ]);
    this.logins = logins;
    this.#addKeys(logins.keyFiles);
    const keyFile = logins.keyFiles[0]?.path ?? '';
    this.#suggest({ login: logins.agent ? 'agent' : keyFile === '' ? 'password' : 'keyFile', keyFile });
    if (last !== null) this.#suggestLast(last, logins);
  };

  /** Sets fields to values that the person has entered. */
  readonly change = (part: Partial<Typed>): void => {
    this.#changed = [...this.#changed, ...Object.keys(part)];
    this.typed = { ...this.typed, ...part };
  };

  /** Returns whether the person has changed a value. */
  readonly isChanged = (): boolean => this.#changed.length > 0;

  /** Handles a field that loses the focus: shows the error of the field, and splits a pasted address. */
  readonly leave = (field: keyof Typed): void => {
    this.#left = [...this.#left, field];
    if (field === 'host') this.splitHost();
  };

  /** Moves user and port of a pasted address into their own fields. */
  readonly splitHost = (): void => {
    const { host, user, port } = withSplitHost(this.typed);
    if (user !== this.typed.user) this.change({ user });
    if (port !== this.typed.port) this.change({ port });
    this.typed = { ...this.typed, host };
  };

  /** Returns the error to show at a field. Undefined if the field is valid, or if the person has not left it yet. */
  readonly errorOf = (field: keyof Typed): string | undefined =>
    this.#left.includes(field) ? this.checked.problems[field] : undefined;

  /** Lets the person pick a private key, and chooses it. @throws OverworldError */
  readonly pickKey = async (): Promise<void> => {
    const key = await install.pickKeyFile();
    if (key === null) return;
    this.#addKeys([key]);
    this.change({ keyFile: key.path });
  };

  /**
   * Shows all errors.
   *
   * @returns the draft; null if there are errors
   */
  readonly submit = (): D | null => {
    this.splitHost();
    this.#left = Object.keys(this.typed) as (keyof Typed)[];
    return this.checked.draft;
  };

  #addKeys(keys: readonly KeyFile[]): void {
    const isAdded = (path: string): boolean => keys.some((key) => key.path === path);
    this.keys = [...this.keys.filter(({ path }) => !isAdded(path)), ...keys];
  }

  #suggestLast({ host, port, user, login }: RememberedServer, { agent }: Logins): void {
    this.#suggest({ host, port: String(port), user });
    if (login.kind === 'agent' && !agent) return;
    this.#suggest({ login: login.kind });
    if (login.kind !== 'keyFile') return;
    const { path } = login;
    // If the key is not in the list any more, only a login shows whether the key has a passphrase.
    if (!this.keys.some((key) => key.path === path)) this.#addKeys([{ path, encrypted: false }]);
    this.#suggest({ keyFile: path });
  }

  /** Sets the values of fields that the person has not changed. */
  #suggest(part: Partial<Typed>): void {
    const free = Object.entries(part).filter(([field]) => !this.#changed.includes(field));
    this.typed = { ...this.typed, ...Object.fromEntries(free) };
  }
}
