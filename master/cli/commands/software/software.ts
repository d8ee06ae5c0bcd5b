import { Command } from 'commander';
import type { CliContext } from '../../context.ts';
import { softwareDownloadCommand, softwareInstallCommand } from './install.ts';
import { softwareBuildsCommand, softwareListCommand, softwareVersionsCommand } from './lists.ts';
import { softwareUpdateCommand } from './update.ts';

/** Defines `overworld-master software list|versions|builds|download|install|update`. */
export function softwareCommand(context: CliContext): Command {
  const command = new Command('software').description(
    'list, download and update server software, such as Paper and Velocity',
  );
  for (const child of [
    softwareListCommand(context),
    softwareVersionsCommand(context),
    softwareBuildsCommand(context),
    softwareDownloadCommand(context),
    softwareInstallCommand(context),
    softwareUpdateCommand(context),
  ]) {
    command.addCommand(child);
  }
  return command;
}
