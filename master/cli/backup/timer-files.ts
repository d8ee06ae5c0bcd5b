import type { BackupSchedule } from '#shared/model/backup.ts';
import { isLocal } from '#master/backup/repository/address.ts';

/**
 * Returns the drop-in that sets when the timer starts backups (systemd.timer(5)).
 *
 * Example: `daily` sets `OnCalendar=daily` instead of the unit's own value.
 */
export function timerDropIn(schedule: BackupSchedule): string {
  return `# Made by: overworld-master backup schedule\n[Timer]\nOnCalendar=\nOnCalendar=${schedule}\n`;
}

/** Folders that are hidden from the unit (`ProtectHome`), or replaced by the unit's own folders (`PrivateTmp`). */
const HIDDEN = /^\/(home|root|run\/user|tmp|var\/tmp)(\/|$)/;

/**
 * Returns the drop-in that lets the backup unit write to its repository if the repository is a folder on this
 * machine. Without the drop-in, that folder is read-only or hidden for the unit. Empty for a repository on another
 * machine.
 *
 * @param repository address without spaces, quotes and %, because systemd would interpret these characters
 */
export function serviceDropIn(repository: string): string {
  if (!isLocal(repository)) return '';
  const lines = ['# Made by: overworld-master backup schedule', '[Service]', `ReadWritePaths=-${repository}`];
  // Empty folders replace the home folders, and only the repository is mounted there (systemd.exec(5)).
  if (HIDDEN.test(repository)) lines.push('ProtectHome=tmpfs', `BindPaths=-${repository}`);
  return `${lines.join('\n')}\n`;
}
