import { render, screen, waitFor } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import PathPicker from '#renderer/screens/templates/entries/PathPicker.svelte';
import { anEntry } from '#test/support/app/models.ts';
import { bridgeOver, installBridge } from '../../support/window-world.ts';

it('the tree of shared files has no entries whose names are not valid UTF-8', async () => {
  const broken = anEntry('/files/f\uFFFDr');
  installBridge(bridgeOver({}).answer('files.list', () => [broken, anEntry('/files/motd.txt'), broken]));
  render(PathPicker, { start: '/files', onpick: () => undefined, onclose: () => undefined });
  const names = () => screen.getAllByRole('treeitem').map(({ textContent }) => textContent.trim());
  await waitFor(() => expect(names()).toEqual(['Shared files', 'motd.txt']));
});
