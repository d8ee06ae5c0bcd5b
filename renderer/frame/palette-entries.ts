import LayoutTemplate from '@lucide/svelte/icons/layout-template';
import Monitor from '@lucide/svelte/icons/monitor';
import Moon from '@lucide/svelte/icons/moon';
import Play from '@lucide/svelte/icons/play';
import Plus from '@lucide/svelte/icons/plus';
import Server from '@lucide/svelte/icons/server';
import Sun from '@lucide/svelte/icons/sun';
import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import type { Icon } from '../ui/icon.ts';
import { NEW_TEMPLATE } from '../stores/place.svelte.ts';
import { stateWords, toShownState } from '../view/service.ts';
import { screenIcons, shownScreens } from './screens.svelte.ts';

/** Something the palette goes to or does. */
export interface PaletteEntry {
  readonly id: string;
  readonly label: string;
  /** Right of the label: what kind of thing it is, or its state. */
  readonly hint: string;
  /** Found by these too, though not shown. */
  readonly keywords?: string;
  readonly icon: Icon;
  readonly onselect: () => void;
}

interface World {
  readonly services: readonly Service[];
  readonly templates: readonly Template[];
  /** Why services cannot be started now; undefined when they can. */
  readonly refusal: string | undefined;
  readonly go: (...parts: readonly string[]) => void;
  readonly startService: (template: string) => void;
  readonly setTheme: (theme: 'system' | 'light' | 'dark') => void;
}

/** Screens and actions first, then templates, then services. */
export function toPaletteEntries(world: World): readonly PaletteEntry[] {
  const { go } = world;
  return [
    ...shownScreens.map(({ id, label }) => ({
      id: `screen-${id}`,
      label,
      hint: 'Screen',
      icon: screenIcons[id],
      onselect: () => go(id),
    })),
    ...actionsOf(world),
    ...world.templates.map((template) => ({
      id: `template-${template.id}`,
      label: template.id,
      hint: 'Template',
      keywords: `template ${template.config.name}`,
      icon: LayoutTemplate,
      onselect: () => go('templates', template.id),
    })),
    ...world.services.map((service) => ({
      id: `service-${service.id}`,
      label: service.id,
      hint: stateWords[toShownState(service)].word,
      keywords: 'service',
      icon: Server,
      onselect: () => go('services', service.id),
    })),
  ];
}

function actionsOf({ templates, refusal, go, startService, setTheme }: World): readonly PaletteEntry[] {
  const masterActions: readonly PaletteEntry[] =
    refusal !== undefined
      ? []
      : [
          {
            id: 'create-template',
            label: 'Create template',
            hint: 'Action',
            keywords: 'new add',
            icon: Plus,
            onselect: () => go('templates', NEW_TEMPLATE),
          },
          ...templates.map((template) => ({
            id: `start-${template.id}`,
            label: `Start service from ${template.id}`,
            hint: 'Action',
            icon: Play,
            onselect: () => startService(template.id),
          })),
        ];
  return [
    ...masterActions,
    themeEntry({ value: 'light', label: 'Use the light theme', icon: Sun, setTheme }),
    themeEntry({ value: 'dark', label: 'Use the dark theme', icon: Moon, setTheme }),
    themeEntry({ value: 'system', label: 'Use the theme of the system', icon: Monitor, setTheme }),
  ];
}

function themeEntry(of: {
  value: 'system' | 'light' | 'dark';
  label: string;
  icon: Icon;
  setTheme: World['setTheme'];
}): PaletteEntry {
  return {
    id: `theme-${of.value}`,
    label: of.label,
    hint: 'Action',
    keywords: 'colour appearance',
    icon: of.icon,
    onselect: () => of.setTheme(of.value),
  };
}
