import type { FieldProblem } from '#shared/config/document.ts';
import { SECRET_MASK } from '#shared/config/secret.ts';
import type { EnvironmentEntry } from '#shared/config/start-up.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { documentTitle } from '#master/store/document-store.ts';
import { maskProblem } from './masked-text.ts';

/** Returns the configuration of a template without the values of its variables, which may be passwords. */
export function hideVariables(config: TemplateConfig): TemplateConfig {
  const environment = config.environment.map(({ name }) => ({ name, value: SECRET_MASK }));
  return { ...config, environment };
}

/**
 * Replaces each mask in a template's document with the stored value of the same variable. Returns a document that is
 * not valid unchanged, because it cannot be saved anyway.
 *
 * @param stored the template's variables so far; empty for a new template
 * @throws OverworldError CONFIG_FAULTY if a mask has no value
 */
export function showVariables(
  id: TemplateId,
  document: unknown,
  stored: readonly EnvironmentEntry[],
): unknown {
  const { data } = templateConfigSchema.safeParse(document);
  if (data === undefined) return document;
  const values = new Map(stored.map(({ name, value }) => [name, value]));
  const problems: FieldProblem[] = [];
  const environment = data.environment.map((variable, i) => {
    const value = variable.value === SECRET_MASK ? values.get(variable.name) : variable.value;
    if (value === undefined) problems.push(maskProblem(SECRET_MASK, ['environment', i, 'value']));
    return { ...variable, value };
  });
  if (problems.length === 0) return { ...data, environment };
  throw new OverworldError('CONFIG_FAULTY', { document: documentTitle(id), problems });
}
