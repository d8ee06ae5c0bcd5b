import { z } from 'zod';
import { API_VERSION, methods, notifications } from '#shared/rpc/contract.ts';
import { tolerance } from '#shared/tolerant.ts';
import { VERSION } from '#shared/version.ts';

/** A JSON Schema. In addition to the standard keywords, it states how tolerant readers are (shared/tolerant.ts). */
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

/** Describes the contract of this version. A key for which readers fill in a default is described by this default. */
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

/** Returns the JSON schema of the values that a schema accepts as input, with the tolerance of its readers. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const json = z.toJSONSchema(schema, { io: 'input', metadata: tolerance, reused: 'inline' });
  return Object.fromEntries(Object.entries(json).filter(([keyword]) => keyword !== '$schema'));
}
