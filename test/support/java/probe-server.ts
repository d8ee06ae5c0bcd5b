import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A server that executes commands on its console: `say X`, `whisper X` (from a helper process that exits
 * immediately), `exit N`, `spawn` (a helper that outlives the server in its process group), `daemon` (a helper in a
 * session of its own), `flood N` (megabytes of lines), `deaf` (ignores `stop`, `end` and SIGTERM from then on),
 * `environment`, `arguments`, `property X`, `user` (as Java reports it). Exits with code 0 on `stop` or `end`.
 */
const SOURCE = `
import java.io.*;
import java.util.*;

public class Probe {
  static volatile boolean deaf = false;

  public static void main(String[] args) throws Exception {
    System.out.println("probe ready " + String.join(" ", args));
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line; (line = in.readLine()) != null; ) {
      String[] words = line.split(" ", 2);
      switch (words[0]) {
        case "say": System.out.println(words[1]); break;
        case "whisper": start("echo", words[1]); break;
        case "exit": System.exit(Integer.parseInt(words[1])); break;
        case "spawn": start("sleep", "300"); break;
        case "daemon": start("setsid", "sleep", "300"); break;
        case "flood": flood(Integer.parseInt(words[1])); break;
        case "deaf": deaf(); break;
        case "environment": System.out.println("environment " + new TreeMap<>(System.getenv())); break;
        case "property": System.out.println("property " + System.getProperty(words[1])); break;
        case "user": System.out.println("user " + System.getProperty("user.name") + " at " + System.getProperty("user.home")); break;
        case "arguments": System.out.println("memory " + Runtime.getRuntime().maxMemory()); break;
        case "stop": case "end": if (!deaf) { System.out.println("got " + line); System.exit(0); } break;
        default: System.out.println("unknown: " + line);
      }
    }
    System.out.println("end of input");
  }

  static void start(String... command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    System.out.println("helper " + process.pid());
  }

  static void deaf() {
    deaf = true;
    sun.misc.Signal.handle(new sun.misc.Signal("TERM"), signal -> System.out.println("ignored TERM"));
    System.out.println("deaf now");
  }

  static void flood(int megabytes) {
    String line = "x".repeat(1023);
    PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16));
    for (int i = 0; i < megabytes * 1024; i++) out.println(line);
    out.println("flooded");
    out.flush();
  }
}
`;

/**
 * Builds the `server.jar` of the probe server. The caller calls `remove` after its tests.
 *
 * @param manifest further lines of the jar's manifest, such as those of a server software
 */
export function buildProbeServer(manifest = ''): { readonly jar: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'overworld-probe-'));
  mkdirSync(join(folder, 'classes'));
  writeFileSync(join(folder, 'Probe.java'), SOURCE);
  execFileSync(
    'javac',
    ['-nowarn', '-XDignore.symbol.file', '-d', join(folder, 'classes'), join(folder, 'Probe.java')],
    { stdio: 'pipe' },
  );
  const jar = join(folder, 'server.jar');
  writeFileSync(join(folder, 'manifest'), manifest);
  execFileSync('jar', ['cfem', jar, 'Probe', join(folder, 'manifest'), '-C', join(folder, 'classes'), '.']);
  return { jar, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
