import { withoutNewerFields } from '#shared/config/newer-fields.ts';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { additionOf } from '#shared/rpc/additions.ts';
import {
  API_VERSION,
  identitySchema,
  isSupported,
  type MasterVersion,
  type MethodName,
} from '#shared/rpc/contract.ts';
import { VERSION } from '#shared/version.ts';
import { changeDocuments } from './sent-documents.ts';

/** Handles the difference between the versions of the app and of the master on one connection. */
export class MasterSkew {
  readonly #address: string;
  #master: MasterVersion | null = null;

  /** @param address address of the master (`host:port`), for messages */
  constructor(address: string) {
    this.#address = address;
  }

  /**
   * Reads the versions from a response to `master.info`. The response may come from a master of any version. A
   * response without versions is ignored.
   *
   * @throws OverworldError API_VERSION_MISMATCH if the app does not work with masters of this version
   */
  identify(response: unknown): void {
    const parsed = identitySchema.safeParse(response);
    if (!parsed.success) return;
    const { version: master, apiVersion: theirs } = parsed.data;
    if (!isSupported(theirs)) {
      const versions = { master, app: VERSION, theirs, ours: API_VERSION };
      throw new OverworldError('API_VERSION_MISMATCH', { address: this.#address, ...versions });
    }
    this.#master = parsed.data;
  }

  /**
   * Returns the parameters of a call in the form that the connected master knows. If this master is older than the
   * app, removes the fields of documents that only newer masters have.
   *
   * @throws OverworldError UNSUPPORTED_BY_MASTER if the master does not know the method, or if a removed field had a
   *   value other than its default
   */
  toSend(method: MethodName, params: object): object {
    const master = this.#master;
    if (master === null || master.apiVersion >= API_VERSION) return params;
    const addition = additionOf(method);
    if (addition !== undefined && addition.since > master.apiVersion) {
      throw this.#unsupported(addition.what ?? method, master);
    }
    return changeDocuments(method, params as Readonly<Record<string, unknown>>, (document, fields) => {
      const older = withoutNewerFields(document, fields, master.apiVersion);
      if (older.lost.length > 0) throw this.#unsupported(`the setting ${older.lost.join(', ')}`, master);
      return older.document;
    });
  }

  /**
   * Returns the error to report for a failed call. The app has already checked the parameters against its own
   * contract. So if a master of another version rejects the method or the parameters, the returned error says that
   * this master does not support them.
   */
  toError(error: OverworldError, method: MethodName): OverworldError {
    const master = this.#master;
    if (master === null || master.apiVersion === API_VERSION) return error;
    if (hasCode(error, 'METHOD_UNKNOWN')) return this.#unsupported(method, master, error);
    if (hasCode(error, 'PARAMS_INVALID')) {
      return this.#unsupported(`${method} as this app sends it (${error.details.why})`, master, error);
    }
    return error;
  }

  #unsupported(what: string, { version, apiVersion }: MasterVersion, cause?: unknown): OverworldError {
    const update = apiVersion < API_VERSION ? 'master' : 'app';
    const details = { address: this.#address, what, master: version, app: VERSION, update } as const;
    return new OverworldError('UNSUPPORTED_BY_MASTER', details, cause);
  }
}
