/** Types of the used part of hcloud-js 1.4.1, which has none of its own. Its answers are parsed like all others. */
declare module 'hcloud-js' {
  interface AxiosRequest {
    readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
    readonly url: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly data?: unknown;
  }

  /** The used part of an axios 1 instance. */
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

  /** CommonJS: Node's own modules are only guaranteed to find the default export. */
  const hcloud: {
    readonly Client: typeof Client;
    /** Thrown for answers of 400 and above. It is no `Error`. */
    readonly APIError: new () => {
      readonly code: unknown;
      readonly message: unknown;
      readonly details: unknown;
    };
  };
  export default hcloud;
}
