import { AUTO_JAVA } from '#shared/config/start-up.ts';
import { installableFor } from '#shared/java-version.ts';
import type { Template } from '#shared/model/template.ts';

/**
 * Describes which Java version a template's services need, and which one they get.
 *
 * Example: `Needs 16 or newer; a node that has none gets 17`.
 */
export function javaWords({ files, config }: Pick<Template, 'files' | 'config'>): string {
  const { needsJava, bringsJava } = files;
  const needs = needsJava === null ? 'The file does not say what it needs' : `Needs ${needsJava} or newer`;
  if (bringsJava) return `${needs}; the template brings its own in jre/`;
  if (config.java !== AUTO_JAVA) return `${needs}; the settings choose ${config.java}`;
  if (needsJava === null) return needs;
  return `${needs}; a node that has none gets ${installableFor(needsJava)}`;
}
