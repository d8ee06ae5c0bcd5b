import { Command } from 'commander';

/** Runs the SSH service until its master disconnects. */
export type RunSshService = (options: { readonly socket: string }) => Promise<void>;

/** Defines `overworld-master ssh-service`, which the unit overworld-ssh runs. */
export function sshServiceCommand(runSshService: RunSshService): Command {
  return new Command('ssh-service')
    .description('serve SSH and files for a master that runs with --ssh-service, until it disconnects')
    .requiredOption('--socket <path>', 'socket to which the master connects')
    .action((options: { readonly socket: string }) => runSshService(options));
}
