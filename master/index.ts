import { runCli } from './cli/program.ts';
import { checkState } from '#master/boot/check-state.ts';
import { run } from '#master/boot/run.ts';
import { runSshService } from '#master/boot/run-ssh-service.ts';

void runCli(process.argv.slice(2), { run, checkState, runSshService }).then((code) => {
  process.exitCode = code;
  // In Electron's utility process (the app's embedded master) the event loop never becomes empty, so the process
  // must exit explicitly.
  if ('parentPort' in process) process.exit();
});
