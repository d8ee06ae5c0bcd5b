import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';
import { TOOL } from './tool-python.ts';

/**
 * Python program of a server that increments the number in its world all the time, and supports Minecraft's commands
 * for saving.
 */
const SERVER = `
import os, sys, threading, time
top = sys.argv[1]
state = {'saving': True}
def say(line):
    with open(f'{top}/log', 'a') as log:
        log.write(f'[12:00:00 INFO]: {line}\\n')
def read_console():
    while True:
        with open(f'{top}/consoles/survival-1') as console:
            for line in console:
                line = line.strip()
                if line == 'save-off':
                    state['saving'] = False
                    say('Automatic saving is now disabled')
                elif line == 'save-on':
                    state['saving'] = True
                    say('Automatic saving is now enabled')
                elif line == 'save-all flush':
                    while os.path.exists(f'{top}/busy'):
                        time.sleep(0.01)
                    say('Saved the game')
                with open(f'{top}/commands', 'a') as commands:
                    commands.write(f'{line}\\n')
threading.Thread(target=read_console, daemon=True).start()
number = 0
while True:
    number += 1
    if state['saving']:
        with open(f'{top}/number', 'w') as file:
            file.write(str(number))
        os.replace(f'{top}/number', f'{top}/services/survival-1/world/number')
    time.sleep(0.01)
`;

/**
 * Python program that runs the node tool with all its folders below a folder of the test. It works without systemd:
 * it reports `survival-1` as running, and reads the output of the server from a file.
 */
const MAIN = `
import runpy, sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, TOOL)
import places, systemctl
places.SERVICES, places.NOTES, places.CONSOLES, places.LOCKS = (f'{TOP}/{name}' for name in ('services', 'notes', 'consoles', 'locks'))
from volumes import pause, snapshot
snapshot.SNAPSHOTS = f'{TOP}/snapshots'
systemctl.look_at = lambda id: {'alive': True}

class Lines:
    def __init__(self, id):
        self.log = open(f'{TOP}/log')
        self.log.seek(0, 2)
    def within(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            line = self.log.readline()
            if line == '':
                time.sleep(0.01)
            else:
                yield line.rstrip('\\n')
    def close(self):
        self.log.close()

pause.ConsoleLines = Lines
runpy.run_path(f'{TOOL}/__main__.py', run_name='__main__')
`;

/** Running service `survival-1` on a node without systemd, in the folders of the node tool. */
export interface SavingServer {
  /** Folder with a program that behaves like the node tool. */
  readonly tool: string;
  /** Folder of the service's world. */
  readonly world: string;
  /** Returns the number that the server wrote to its world last. */
  number(): Promise<number>;
  /** Returns the commands that the server has executed. */
  commands(): Promise<string[]>;
  /** Sets whether the server is slow to save its world, as with a large world. */
  setBusy(busy: boolean): Promise<void>;
}

/** Starts the server, which is killed when the test ends. */
export async function startSavingServer(): Promise<SavingServer> {
  const top = temporaryFolder();
  const world = join(top, 'services/survival-1/world');
  for (const folder of [world, join(top, 'notes/survival-1'), join(top, 'consoles'), join(top, 'tool')])
    await mkdir(folder, { recursive: true });
  await writeFile(join(top, 'notes/survival-1/service.json'), JSON.stringify({ persistent: ['world/.*'] }));
  await writeFile(join(top, 'notes/survival-1/start'), 'boot\n1.5\n');
  for (const file of ['log', 'commands']) await writeFile(join(top, file), '');
  const places = `TOOL, TOP = ${JSON.stringify(TOOL)}, ${JSON.stringify(top)}\n`;
  await writeFile(join(top, 'tool/__main__.py'), places + MAIN);
  const pipe = spawn('mkfifo', [join(top, 'consoles/survival-1')]);
  await once(pipe, 'exit');
  const server = spawn('python3', ['-I', '-S', '-c', SERVER, top], { stdio: 'inherit' });
  onTestFinished(async () => {
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  });
  const number = async (): Promise<number> => Number(await readFile(join(world, 'number'), 'utf8'));
  await waitFor(number, { what: 'the first number in the world' });
  return {
    ...{ tool: join(top, 'tool'), world, number },
    commands: async () => (await readFile(join(top, 'commands'), 'utf8')).trim().split('\n'),
    setBusy: (busy) => (busy ? writeFile(join(top, 'busy'), '') : rm(join(top, 'busy'))),
  };
}
