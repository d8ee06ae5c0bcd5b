import { render } from '@testing-library/svelte';
import TemplatesScreen from '#renderer/screens/templates/TemplatesScreen.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { templateDrafts } from '#renderer/stores/documents/drafts.svelte.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';

/**
 * Opens the page of template lobby.
 *
 * @returns a function that disconnects the stores and forgets unsaved changes
 */
export function openLobbyPage(bridge: FakeBridge): () => void {
  const stops = [connectStores(bridge), pretendLayout({ width: 1200, height: 800 })];
  route.go('templates', 'lobby');
  render(TemplatesScreen);
  return () => {
    for (const stop of stops) stop();
    templateDrafts.forget('lobby');
  };
}
