import { z } from 'zod';
import { API_VERSION, methods, notifications } from '#shared/rpc/contract.ts';
import { tolerance } from '#shared/tolerant.ts';
import { VERSION } from '#shared/version.ts';

/** A JSON Schema. Extra keywords describe how a reader treats values that it does not know (shared/tolerant.ts). */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly standIn?: unknown;
  readonly document?: boolean;
}

/** The contract of the admin API at one version, as data that can be stored and compared. */
export interface DescribedContract {
  /** Version of Overworld. */
  readonly version: string;
  readonly apiVersion: number;
  readonly methods: Readonly<
    Record<string, { readonly role: string; readonly params: JsonSchema; readonly result: JsonSchema }>
  >;
  readonly notifications: Readonly<Record<string, JsonSchema>>;
}

/**
 * Describes the contract of this version. If readers fill in a default for a missing key, the schema of the key
 * contains this default.
 */
export function describeContract(): DescribedContract {
  return {
    version: VERSION,
    apiVersion: API_VERSION,
    methods: Object.fromEntries(
      Object.entries(methods).map(([name, { role, params, result }]) => [
        name,
        { role, params: toJsonSchema(params), result: toJsonSchema(result) },
      ]),
    ),
    notifications: Object.fromEntries(
      Object.entries(notifications).map(([name, params]) => [name, toJsonSchema(params)]),
    ),
  };
}

/**
 * Returns the JSON schema of the values that a schema accepts as input. The result also describes how readers treat
 * values that they do not know.
 */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const json = z.toJSONSchema(schema, { io: 'input', metadata: tolerance, reused: 'inline' });
  return Object.fromEntries(Object.entries(json).filter(([keyword]) => keyword !== '$schema'));
}
