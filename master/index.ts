import { runCli } from './cli/program.ts';
import { checkState } from '#master/boot/check-state.ts';
import { run } from '#master/boot/run.ts';
import { runSshService, SSH_SERVICE_COMMAND } from '#master/boot/run-ssh-service.ts';

const args = process.argv.slice(2);
const [command, socket] = args;

// Not a command for people, but the second process of a master from the package.
if (command === SSH_SERVICE_COMMAND && socket !== undefined) void runSshService(socket);
else {
  void runCli(args, { run, checkState }).then((code) => {
    process.exitCode = code;
    // In Electron's utility process (the app's embedded master) the event loop never becomes empty, so the process
    // must exit explicitly.
    if ('parentPort' in process) process.exit();
  });
}
