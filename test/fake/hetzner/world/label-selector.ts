import { invalidInput } from '../http/api-error.ts';

export type Labels = Readonly<Record<string, string>>;

type Requirement = (labels: Labels) => boolean;

const KEY = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;

/**
 * Validates labels as the API does (docs/adr/0018).
 *
 * @throws ApiError invalid_input
 */
export function checkLabels(labels: Labels): void {
  for (const [key, value] of Object.entries(labels)) {
    if (!KEY.test(key) || key.startsWith('hetzner.cloud/')) throw faulty(`label key "${key}" is invalid`);
    if (!VALUE.test(value)) throw faulty(`label value "${value}" is invalid`);
  }
}

function faulty(message: string): Error {
  return invalidInput(`invalid input in field 'labels'`, [{ name: 'labels', messages: [message] }]);
}

/**
 * Parses a label selector: `k=v`, `k==v`, `k!=v`, `k`, `!k`, `k in (a,b)`, `k notin (a,b)`; a comma means "and".
 *
 * @throws ApiError invalid_input
 */
export function parseSelector(text: string): Requirement {
  const requirements = text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseRequirement);
  return (labels) => requirements.every((holds) => holds(labels));
}

function parseRequirement(text: string): Requirement {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(text);
  if (set !== null) {
    const [, key = '', verb, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return checked(key, (labels) => values.includes(labels[key] ?? '\0') === (verb === 'in'));
  }
  const comparison = /^([^=!\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(text);
  if (comparison !== null) {
    const [, key = '', sign, value] = comparison;
    return checked(key, (labels) => (labels[key] === value) === (sign !== '!='));
  }
  if (text.startsWith('!')) return checked(text.slice(1), (labels) => !(text.slice(1) in labels));
  return checked(text, (labels) => text in labels);
}

function checked(key: string, requirement: Requirement): Requirement {
  if (!KEY.test(key)) {
    throw invalidInput(`invalid input in field 'label_selector'`, [
      { name: 'label_selector', messages: [`"${key}" is no label key`] },
    ]);
  }
  return requirement;
}
