/**
 * Types for the parts of hcloud-js 1.4.1 that Overworld uses, because the package contains no types. Methods return
 * `unknown`, because their results are parsed with schemas like all other answers.
 */
declare module 'hcloud-js' {
  interface AxiosRequest {
    readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
    readonly url: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly data?: unknown;
  }

  /** The part of an axios 1 instance that Overworld uses. */
  interface AxiosInstance {
    request(request: AxiosRequest): Promise<{ readonly data: unknown }>;
    readonly defaults: {
      paramsSerializer?: { indexes: null };
      transformResponse?: (
        body: unknown,
        headers: { get(name: string): unknown },
        status: number | undefined,
      ) => unknown;
      maxContentLength?: number;
      maxRedirects?: number;
      signal?: AbortSignal;
    };
  }

  export class Client {
    constructor(options: { token: string; baseURL?: string; timeout?: number });
    readonly axios: AxiosInstance;
    readonly servers: {
      delete(id: number): Promise<unknown>;
    };
    readonly actions: {
      list(params: { id: readonly number[]; perPage: number }): Promise<unknown>;
    };
    readonly images: {
      list(params: Readonly<Record<string, unknown>>): Promise<unknown>;
    };
    readonly sshKeys: {
      list(params: { name: string }): Promise<unknown>;
    };
  }

  /**
   * The default export, because hcloud-js is a CommonJS module and Node.js guarantees only the default export of such
   * modules.
   */
  const hcloud: {
    readonly Client: typeof Client;
    /** Class of the errors for answers with a status of 400 and above. It does not extend `Error`. */
    readonly APIError: new () => {
      readonly code: unknown;
      readonly message: unknown;
      readonly details: unknown;
    };
  };
  export default hcloud;
}
