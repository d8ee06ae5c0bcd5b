import type { StepOutcome } from '../machine/step-report.ts';
import type { InstallSettings } from './settings.ts';

/** Gives a key the role `owner`. If no key is given, reports whether there is an owner. */
export async function addOwner(settings: InstallSettings, line: string | undefined): Promise<StepOutcome> {
  if (line !== undefined) {
    const { owner, changed } = await settings.ensureOwner(line);
    const detail = `${owner.name} (${owner.fingerprint}) can log in as owner.`;
    return { status: changed ? 'done' : 'unchanged', detail };
  }
  const detail = (await settings.hasOwner())
    ? 'No key was given. Existing owners can log in.'
    : 'No key was given, and no person can log in yet. Add one: overworld-master keys add --role owner NAME "ssh-ed25519 AAAA…"';
  return { status: 'unchanged', detail };
}
