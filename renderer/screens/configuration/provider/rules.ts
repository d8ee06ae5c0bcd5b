import { masterDraft } from '../../../stores/documents/drafts.svelte.ts';
import type { ServerRules } from '../../../view/provider.ts';

/** Returns the rules for orders according to the current input of the form. */
export function rulesInForm(): ServerRules {
  const inputs = masterDraft.current?.inputs ?? {};
  const location = textOf(inputs['provider.location']);
  const others = listOf(inputs['provider.locations']);
  return {
    prefix: textOf(inputs['provider.server_type']),
    blocked: listOf(inputs['provider.blocked_servers']),
    locations: [...new Set([location, ...others])].filter((place) => place !== ''),
  };
}

/** Returns the input of a text field, or an empty text if the input is not a text. */
export function textOf(input: unknown): string {
  return typeof input === 'string' ? input : '';
}

/** Returns the input of a list of texts, or an empty list if the input is not a list. */
export function listOf(input: unknown): readonly string[] {
  return Array.isArray(input) ? input.filter((item) => typeof item === 'string') : [];
}
