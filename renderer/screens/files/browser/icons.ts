import File from '@lucide/svelte/icons/file';
import FileArchive from '@lucide/svelte/icons/file-archive';
import FileBraces from '@lucide/svelte/icons/file-braces';
import FileCog from '@lucide/svelte/icons/file-cog';
import FileImage from '@lucide/svelte/icons/file-image';
import FileSymlink from '@lucide/svelte/icons/file-symlink';
import FileText from '@lucide/svelte/icons/file-text';
import Folder from '@lucide/svelte/icons/folder';
import Package from '@lucide/svelte/icons/package';
import type { RemoteEntry } from '#shared/ipc/contract.ts';
import type { Icon } from '../../../ui/icon.ts';

const byExtension: Readonly<Record<string, Icon>> = {
  jar: Package,
  zip: FileArchive,
  gz: FileArchive,
  tar: FileArchive,
  json: FileBraces,
  yml: FileCog,
  yaml: FileCog,
  toml: FileCog,
  properties: FileCog,
  conf: FileCog,
  cfg: FileCog,
  txt: FileText,
  md: FileText,
  log: FileText,
  png: FileImage,
  jpg: FileImage,
  jpeg: FileImage,
};

const kindWords: Readonly<Record<RemoteEntry['kind'], string>> = {
  file: 'File',
  folder: 'Folder',
  link: 'Link',
  other: 'Special file',
};

/** Returns the icon of an entry by its kind and file extension. */
export function iconOf({ kind, name }: Pick<RemoteEntry, 'kind' | 'name'>): Icon {
  if (kind === 'folder') return Folder;
  if (kind === 'link') return FileSymlink;
  return byExtension[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? File;
}

/** Returns the kind of an entry for screen readers. */
export function kindWord({ kind }: Pick<RemoteEntry, 'kind'>): string {
  return kindWords[kind];
}
