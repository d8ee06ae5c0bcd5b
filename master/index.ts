import { runCli } from './cli/program.ts';
import { run } from './run.ts';

process.exitCode = await runCli(process.argv.slice(2), { run });
