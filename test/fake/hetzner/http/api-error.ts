/** Error in the answer to a request, in the API's format (docs/adr/0018). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Record<string, unknown> | null;

  constructor(status: number, { code, message, details = null }: ApiErrorContent) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

interface ApiErrorContent {
  readonly code: string;
  readonly message: string;
  readonly details?: Record<string, unknown> | null;
}

export function notFound(what: string): ApiError {
  return new ApiError(404, { code: 'not_found', message: `${what} not found` });
}

/**
 * Creates the error for invalid input.
 *
 * @param fields names of the invalid fields with the problems of each
 */
export function invalidInput(message: string, fields: readonly InvalidField[] = []): ApiError {
  const details = fields.length === 0 ? null : { fields };
  return new ApiError(422, { code: 'invalid_input', message, details });
}

export interface InvalidField {
  readonly name: string;
  readonly messages: readonly string[];
}

export function uniquenessError(message: string): ApiError {
  return new ApiError(409, { code: 'uniqueness_error', message, details: { fields: [{ name: 'name' }] } });
}

export function locked(message: string): ApiError {
  return new ApiError(423, { code: 'locked', message });
}
