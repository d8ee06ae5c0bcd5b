import { describeFields, type FieldDescription } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import type { MethodName } from '#shared/rpc/contract.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** Returns the document to send instead of the given one. */
type Change = (document: unknown, fields: readonly FieldDescription[]) => unknown;

/** Returns the parameters of a call with each configuration document in them replaced by the result of `change`. */
export function changeDocuments(method: MethodName, params: Parameters, change: Change): Parameters {
  const ofTemplate = (document: unknown): unknown => change(document, describeFields(templateConfigSchema));
  const ofMaster = (document: unknown): unknown => change(document, describeFields(masterConfigSchema));
  switch (method) {
    case 'templates.create':
    case 'templates.update':
      return { ...params, config: ofTemplate(params['config']) };
    case 'config.update':
      return { ...params, config: ofMaster(params['config']) };
    case 'plan.preview': {
      const template = params['template'] as Parameters | undefined;
      return {
        ...params,
        ...(template === undefined
          ? {}
          : { template: { ...template, config: ofTemplate(template['config']) } }),
        ...(params['master'] === undefined ? {} : { master: ofMaster(params['master']) }),
      };
    }
    default:
      return params;
  }
}
