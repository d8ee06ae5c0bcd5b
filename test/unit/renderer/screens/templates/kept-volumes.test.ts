import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import CreateDialog from '#renderer/screens/templates/dialogs/CreateDialog.svelte';
import DeleteDialog from '#renderer/screens/templates/dialogs/DeleteDialog.svelte';
import DuplicateDialog from '#renderer/screens/templates/dialogs/DuplicateDialog.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { templates } from '#renderer/stores/templates.svelte.ts';
import { volumes } from '#renderer/stores/volumes.svelte.ts';
import type { Volume } from '#shared/model/volume.ts';
import { aTemplate, aVolume } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { bridgeOver } from '../../support/window-world.ts';

const MB = 2 ** 20;
const survival = aTemplate('survival', { persistentPaths: ['world*/'] });
const lobby = aTemplate('lobby');

let stop = (): void => undefined;

/** Connects the stores to a master with some volumes. */
async function connect(kept: Volume[]): Promise<void> {
  stop = connectStores(bridgeOver({ templates: [survival, lobby], volumes: kept }));
  await waitFor(() => expect(templates.value).not.toBeNull());
}

const volumesRead = (): Promise<void> => waitFor(() => expect(volumes.value).not.toBeNull());

const textOf = async (name: string): Promise<string> =>
  (await screen.findByRole('dialog', { name })).textContent;

beforeEach(() => {
  volumes.value = null;
  templates.value = null;
  route.go('templates', '+new');
});
afterEach(() => stop());

describe('the dialog that deletes a template', () => {
  it('says that the volumes of the template stay, and how much space they take', async () => {
    await connect([
      aVolume('survival/1', { storedBytes: 300 * MB }),
      aVolume('survival/2', { storedBytes: 100 * MB }),
      aVolume('lobby/1', { storedBytes: 50 * MB }),
    ]);
    render(DeleteDialog, { template: survival, onclose: () => undefined });
    await volumesRead();
    const text = await textOf('Delete template survival and its 214 files');
    expect(text).toContain('Its 2 volumes stay (400 MB)');
    expect(text).toContain('A new template with the id survival and persistent paths uses them again.');
  });

  it('does not mention volumes if the template has none', async () => {
    await connect([aVolume('survival/1')]);
    render(DeleteDialog, { template: lobby, onclose: () => undefined });
    await volumesRead();
    expect(await textOf('Delete template lobby and its 214 files')).not.toContain('volume');
  });
});

describe('the dialogs that create a template', () => {
  const kept = [1, 2, 3, 4].map((number) => aVolume(`old/${number}`, { storedBytes: 100 * MB }));
  const type = (label: string, value: string): Promise<boolean> =>
    fireEvent.input(screen.getByRole('textbox', { name: label }), { target: { value } });

  it('say that volumes with the entered id exist, and which services get these volumes', async () => {
    await connect(kept);
    render(CreateDialog, { onclose: () => undefined });
    await volumesRead();
    expect(await textOf('Create template')).not.toContain('volume');
    await type('Id', 'old');
    const text = await textOf('Create template');
    expect(text).toContain('4 volumes with this id exist (400 MB)');
    expect(text).toContain(
      'Once the template has persistent paths, old-1, old-2 and 2 more services start with their data.',
    );
  });

  it('say that services of a duplicate start with the data of existing volumes', async () => {
    await connect([aVolume('old/7', { storedBytes: 2 * MB })]);
    render(DuplicateDialog, { template: survival, onclose: () => undefined });
    await volumesRead();
    await type('Id of the new template', 'old');
    const text = await textOf('Duplicate template survival');
    expect(text).toContain('1 volume with this id exists (2.0 MB)');
    expect(text).toContain('old-7 starts with its data.');
    // The dialog refuses the id of an existing template, so it does not mention the volumes of this id.
    await type('Id of the new template', 'survival');
    expect(await textOf('Duplicate template survival')).not.toContain('volume');
  });
});
